"""A subscriber that misses nothing and counts nothing twice: a durable consumer and a journal.

    python subscriber.py --durable billing --journal events.jsonl
    python subscriber.py --durable billing --journal events.jsonl --bind

An event is acknowledged after its line is in the journal. Whoever is killed in between gets it
again, finds its id in the journal and leaves it out. One event at a time is in hand, so that the
order of the stream is the order of the journal. `--bind` takes a consumer that somebody made for
us. Put your own work into `handle`.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.client import JetStreamContext

STREAM = "RAYPUB"
AGAIN_AFTER = 5.0
"""How long the server waits for an acknowledgement until it delivers again, in seconds."""
PATIENCE = 2.0
"""How long to wait for the next event until looking whether to stop, in seconds."""

Event = dict[str, Any]


class Journal:
    """What was handled, one event a line; its ids are the memory."""

    def __init__(self, path: Path) -> None:
        whole = path.read_bytes() if path.exists() else b""
        lines, _, torn = whole.rpartition(b"\n")
        self.ids = {json.loads(line)["id"] for line in lines.splitlines()}
        self._file = path.open("ab")
        self._file.truncate(len(whole) - len(torn))

    def write(self, event: Event) -> None:
        """Add an event; it is on disk when this returns."""
        self._file.write(json.dumps(event, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.ids.add(event["id"])


def read(message: Msg) -> Event:
    """Read a CloudEvent, whichever of the two modes it is written in."""
    headers = {name.lower(): value for name, value in (message.headers or {}).items()}
    body = json.loads(message.data)
    if headers.get("content-type", "").lower().startswith("application/cloudevents"):
        return dict(body)
    attributes = {
        name.removeprefix("ce-"): unquote(value)
        for name, value in headers.items()
        if name.startswith("ce-")
    }
    return {**attributes, "data": body}


def handle(event: Event, journal: Journal) -> None:
    """Do something with an event that comes for the first time."""
    journal.write(event)
    print(event["time"], event["type"], event["partitionkey"], event["data"].get("because", ""))


async def consumer_of(
    jetstream: JetStreamContext, chosen: argparse.Namespace
) -> JetStreamContext.PullSubscription:
    """Make the durable consumer, or take the one that was made for us."""
    if not chosen.bind:
        config = ConsumerConfig(
            durable_name=chosen.durable,
            filter_subject=chosen.filter,
            deliver_policy=DeliverPolicy.ALL,
            ack_policy=AckPolicy.EXPLICIT,
            ack_wait=AGAIN_AFTER,
            max_ack_pending=1,
        )
        await jetstream.add_consumer(STREAM, config)
    return await jetstream.pull_subscribe_bind(chosen.durable, STREAM)


async def serve(jetstream: JetStreamContext, chosen: argparse.Namespace) -> None:
    """Take one event after the other; whatever NATS suffers, go on when it is back."""
    journal = Journal(chosen.journal)
    subscription = None
    while True:
        try:
            subscription = subscription or await consumer_of(jetstream, chosen)
            for message in await subscription.fetch(1, timeout=PATIENCE):
                event = read(message)
                if event["id"] not in journal.ids:
                    handle(event, journal)
                await message.ack_sync(timeout=PATIENCE)
        except (Error, TimeoutError, OSError) as trouble:
            if not isinstance(trouble, TimeoutError):
                await tell(trouble)
                await asyncio.sleep(PATIENCE / 4)


async def tell(trouble: Exception) -> None:
    """Say in a line what NATS suffers from; the client goes on by itself."""
    print(f"waiting for NATS: {trouble!r}", file=sys.stderr)


async def connect(chosen: argparse.Namespace) -> Client:
    """Connect, and stay so over any restart of the server."""
    options: dict[str, Any] = {
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.25,
        "error_cb": tell,
    }
    if chosen.creds:
        options["user_credentials"] = chosen.creds
    if chosen.inbox:
        options["inbox_prefix"] = chosen.inbox
    return await nats.connect(chosen.nats_url, **options)


async def main(chosen: argparse.Namespace) -> None:
    """Serve until asked to stop."""
    client = await connect(chosen)
    work = asyncio.ensure_future(serve(client.jetstream(timeout=PATIENCE), chosen))
    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        print("stopped", file=sys.stderr)
    finally:
        await client.close()


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Write lifecycle events to a file, each once.")
    parser.add_argument("--nats-url", default=os.environ.get("NATS_URL", "nats://127.0.0.1:4222"))
    parser.add_argument("--creds", help="File with NATS user credentials.")
    parser.add_argument("--inbox", help="The prefix of inboxes that this user may have.")
    parser.add_argument("--durable", required=True, help="The name under which the place is kept.")
    parser.add_argument("--filter", default="pub.>", help="Which subjects.")
    parser.add_argument("--bind", action="store_true", help="Make no consumer: it is there.")
    parser.add_argument("--journal", type=Path, required=True, help="Where events are written.")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(arguments()))
