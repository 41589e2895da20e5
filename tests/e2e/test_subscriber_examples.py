"""The examples of subscribers, run as a user would run them."""

import asyncio
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from services.courier.signature import HEADER, sign
from shared.kernel.keys import ResourceKey
from tests.support.processes import (
    BIN,
    HELIOGRAPH,
    Installation,
    Process,
    ending,
    free_port,
    run,
    wait_until,
)
from tests.support.tellings import Telling, event, tell

pytestmark = [pytest.mark.xdist_group("subscribers"), pytest.mark.timeout(180)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "subscribers"
JOB = ResourceKey("rayjob", "team-a", "train")
CLUSTER = ResourceKey("raycluster", "team-a", "first")
STORY: tuple[Telling, ...] = (
    (JOB, "created", 1, "it was written", "structured"),
    (CLUSTER, "ready", 1, "größer 100 %", "binary"),
    (JOB, "failed", 2, "exit code 1", "binary"),
)
HEARD = ("train-1", "first-1", "train-2")
KEY = b"a key that both know"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Run NATS with all streams and a story."""
    with ending(tmp_path_factory.mktemp("subscribers")) as installation:
        installation.nats.start()
        made = installation.heliograph("init")
        assert made.returncode == 0, made.stderr
        asyncio.run(tell(installation.nats, *STORY))
        yield installation


def journal(path: Path) -> list[dict[str, Any]]:
    """Return the events of the story in a journal's whole lines; another test tells more."""
    lines = path.read_text().rpartition("\n")[0].splitlines() if path.exists() else []
    return [one for one in map(json.loads, lines) if one["id"] in HEARD]


def python_example(here: Installation, name: str, *more: str) -> Process:
    words = ("--durable", name, "--journal", str(here.folder / f"{name}.jsonl"))
    script = str(EXAMPLES / "python" / "subscriber.py")
    return here.add(name, (sys.executable, "-u", script, *words, *more), here.environment)


def test_the_python_example_hears_both_modes_and_ends_when_asked(here: Installation) -> None:
    process = python_example(here, "everything", "--filter", "pub.team-a.>")
    told = here.folder / "everything.jsonl"
    wait_until(lambda: len(journal(told)) == 3, "three events are heard", state=process.said)

    assert process.end() == 0
    assert [one["data"] for one in journal(told)] == [event(*each[:4]).data for each in STORY]
    assert [one["id"] for one in journal(told)] == list(HEARD)
    plain = msgspec.to_builtins(event(*STORY[1][:4]))
    assert journal(told)[1] == plain


def test_the_python_example_leaves_out_what_it_has(here: Installation) -> None:
    told = here.folder / "again.jsonl"
    known = json.dumps(msgspec.to_builtins(event(*STORY[0][:4])))
    told.write_text(f'{known}\n{{"id": "torn')
    process = python_example(here, "again")
    wait_until(lambda: len(journal(told)) == 3, "the others are heard", state=process.said)
    process.end()

    assert [one["id"] for one in journal(told)] == list(HEARD)


def test_the_shell_example_runs_a_command_for_each_event(here: Installation) -> None:
    taken = here.folder / "taken.jsonl"
    script = str(EXAMPLES / "shell" / "on-event.sh")
    flags = {"FLAGS": "--kind rayjob --since beginning --count 2"}
    path = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    said = run(
        script, "alarms", "tee", "-a", str(taken), environment={**here.environment, **flags, **path}
    )

    assert said.returncode == 0, said.stderr
    assert [one["id"] for one in journal(taken)] == ["train-1", "train-2"]


def test_ctrl_c_ends_a_subscription_that_lived_through_a_restart_of_nats(
    here: Installation,
) -> None:
    words = ("subscribe", "--since", "beginning", "--kind", "raycluster", "-o", "json")
    process = here.add("listening", (*HELIOGRAPH, *words), here.environment)
    wait_until(lambda: "first-1" in process.said(), "the past is told", state=process.said)
    here.nats.kill()
    here.nats.start()
    asyncio.run(tell(here.nats, (CLUSTER, "degraded", 2, "a worker is gone", "structured")))
    wait_until(lambda: "first-2" in process.said(), "what is new is told", state=process.said)

    assert process.interrupt() == 130
    told = [line for line in process.said().splitlines() if line.startswith("{")]
    assert [json.loads(line)["id"] for line in told] == ["first-1", "first-2"]
    assert "Traceback" not in process.said()


class Chat(BaseHTTPRequestHandler):
    """A chat that takes messages, or does not."""

    taken: list[str]
    well: bool

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.well:
            self.taken.append(json.loads(body)["text"])
        self.send_response(200 if self.well else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has there
        """Say nothing."""


@pytest.fixture
def chat() -> Iterator[type[Chat]]:
    Chat.taken, Chat.well = [], True
    with ThreadingHTTPServer(("127.0.0.1", free_port()), Chat) as server:
        Chat.address = f"http://127.0.0.1:{server.server_port}/hook"  # type: ignore[attr-defined] # only this test
        Thread(target=server.serve_forever, daemon=True).start()
        yield Chat
        server.shutdown()


@pytest.fixture
def receiver(here: Installation, chat: type[Chat]) -> Iterator[str]:
    """Run the example; give its address."""
    key = here.folder / "key"
    key.write_bytes(KEY + b"\n")
    port = free_port()
    told = {"WEBHOOK_KEY_FILE": str(key), "CHAT_URL": str(chat.address)}  # type: ignore[attr-defined]
    script = str(EXAMPLES / "chat" / "receiver.py")
    name = f"chat-{port}"
    process = here.add(name, (sys.executable, script, "--port", str(port)), told)
    wait_until(lambda: "listening" in process.said(), "the receiver listens", state=process.said)
    yield f"http://127.0.0.1:{port}/"
    process.kill()


def asked(url: str, body: bytes, headers: dict[str, str], method: str = "POST") -> tuple[int, Any]:
    request = urllib.request.Request(url, body or None, headers, method=method)  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - loopback
            return answer.status, answer.headers
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.headers


BODY = msgspec.json.encode(event(*STORY[2][:4]))


def signed(key: bytes = KEY, body: bytes = BODY, age: timedelta = timedelta()) -> str:
    """Sign as the courier does; a receiver has a real clock."""
    return sign(key, body, datetime.now(tz=UTC) - age)  # noqa: TID251


def test_the_chat_example_posts_an_event_once(receiver: str, chat: type[Chat]) -> None:
    headers = {HEADER: signed()}

    assert [asked(receiver, BODY, headers)[0] for _ in range(2)] == [200, 200]
    assert chat.taken == ["🔴 rayjob/team-a/train: failed (exit code 1)"]


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param(lambda: "", id="none"),
        pytest.param(lambda: "t=,v1=", id="empty"),
        pytest.param(lambda: signed(b"another key"), id="another key"),
        pytest.param(lambda: signed(body=BODY + b" "), id="another body"),
        pytest.param(lambda: signed(age=timedelta(hours=1)), id="old"),
        pytest.param(lambda: signed().partition("v1=")[0] + "v1=ümlaut", id="strange letters"),
    ],
)
def test_the_chat_example_refuses_what_is_not_signed_right(
    forged: Callable[[], str], receiver: str, chat: type[Chat]
) -> None:
    headers = {HEADER: forged().encode().decode("latin-1")}

    assert (asked(receiver, BODY, headers)[0], chat.taken) == (401, [])


def test_the_chat_example_asks_for_the_event_again_when_the_chat_is_down(
    receiver: str, chat: type[Chat]
) -> None:
    headers = {HEADER: signed()}
    chat.well = False
    down, _ = asked(receiver, BODY, headers)
    chat.well = True
    up, _ = asked(receiver, BODY, headers)

    assert (down, up, len(chat.taken)) == (502, 200, 1)


def test_the_chat_example_shakes_hands(receiver: str) -> None:
    status, headers = asked(receiver, b"", {"WebHook-Request-Origin": "ray.example"}, "OPTIONS")

    assert (status, headers["WebHook-Allowed-Origin"]) == (200, "ray.example")
