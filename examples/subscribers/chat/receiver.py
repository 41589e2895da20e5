"""A webhook receiver that posts lifecycle events to a chat: the standard library and nothing else.

    WEBHOOK_KEY_FILE=key CHAT_URL=https://chat.example/hook python receiver.py --port 8090

A request counts only if its signature is right and fresh:

    Webhook-Signature: t=<unix seconds>,v1=<hex of HMAC-SHA256 over "<t>.<body>">

An id that was posted is not posted again. When the chat does not take a message the answer is 502,
and Heliograph sends the event again later.
"""

import argparse
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.request
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

FRESH = 300
"""How old a signature may be, in seconds."""
LARGEST = 1 << 20
REMEMBERED = 10_000
SIGNS = {"failed": "🔴", "degraded": "🟠", "ready": "🟢", "succeeded": "🟢", "deleted": "⚪"}


def is_genuine(header: str, body: bytes, key: bytes, now: float) -> bool:
    """Tell whether whoever has the key signed this body a moment ago."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    moment, given = parts.get("t", ""), parts.get("v1", "")
    if not (moment.isascii() and moment.isdigit()) or abs(now - int(moment)) > FRESH:
        return False
    expected = hmac.new(key, moment.encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), given.encode())


def message_of(event: dict[str, Any]) -> str:
    """Return what people read."""
    what = event["type"].split(".")[-2]
    because = event["data"].get("because", "")
    return f"{SIGNS.get(what, '🔵')} {event['partitionkey']}: {what} ({because})"


def post(url: str, text: str) -> None:
    """Post to a chat that takes `{"text": ...}`, as most incoming webhooks do."""
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - the operator's own URL
    with urllib.request.urlopen(request, timeout=10):  # noqa: S310
        pass


class Desk:
    """What the requests share: the key, where to post, which ids were posted."""

    def __init__(self, key: bytes, chat: str) -> None:
        self._key = key
        self._chat = chat
        self._posted: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def take(self, signature: str, body: bytes) -> int:
        """Deal with one request; return the status to answer with."""
        if not is_genuine(signature, body, self._key, time.time()):
            return 401
        try:
            event = json.loads(body)
            identity, text = event["id"], message_of(event)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            return 400
        with self._lock:
            return self._post(identity, text)

    def _post(self, identity: str, text: str) -> int:
        if identity in self._posted:
            return 200
        try:
            post(self._chat, text)
        except OSError as trouble:
            print(f"the chat does not answer: {trouble}", file=sys.stderr)
            return 502
        self._posted[identity] = None
        while len(self._posted) > REMEMBERED:
            self._posted.popitem(last=False)
        return 200


class Door(BaseHTTPRequestHandler):
    """Where requests come in."""

    desk: Desk

    def do_POST(self) -> None:
        """Take an event in structured mode."""
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= LARGEST:
            self._answer(413)
            return
        body = self.rfile.read(size)
        self._answer(self.desk.take(self.headers.get("Webhook-Signature", ""), body))

    def do_OPTIONS(self) -> None:
        """Say that we want events, as the web hook specification of CloudEvents asks."""
        origin = self.headers.get("WebHook-Request-Origin", "")
        self._answer(200, {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "*"})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has there
        """Say nothing of each request."""

    def _answer(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": "0", **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()


def main() -> None:
    """Serve until ended."""
    parser = argparse.ArgumentParser(description="Post lifecycle events to a chat.")
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--host", default="127.0.0.1")
    chosen = parser.parse_args()
    key = Path(os.environ["WEBHOOK_KEY_FILE"]).read_bytes().strip()
    Door.desk = Desk(key, os.environ["CHAT_URL"])
    with ThreadingHTTPServer((chosen.host, chosen.port), Door) as server:
        print(f"listening on port {server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
