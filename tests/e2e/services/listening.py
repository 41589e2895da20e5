"""A listener on the way to Ray: an HTTP proxy that notes every request and passes it on.

What the operator puts to a dashboard is counted where it goes through, not where it is said to
have been sent. Whoever starts the operator gives it `url` as the dashboard proxy.
"""

import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

NOBODY = 502
PASSED_ON = ("Content-Type", "Authorization")


class Heard(Struct, frozen=True):
    """One request: to whom, what."""

    host: str
    method: str
    path: str


class Listener:
    """Everything that was asked of Ray."""

    def __init__(self, proxy: str) -> None:
        self.heard: list[Heard] = []
        self.url = ""
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))

    def told_to(self, cluster: str) -> int:
        """Count how often Serve on a cluster was told what to run."""
        return sum(one.method == "PUT" for one in self.heard if one.host.startswith(f"{cluster}-"))

    def asked_of(self, cluster: str, path: str) -> int:
        """Count the questions of one kind to a cluster, or to its head's address."""
        return sum(one.path == path for one in self.heard if one.host.startswith(f"{cluster}-"))

    def pass_on(self, request: BaseHTTPRequestHandler) -> tuple[int, str, bytes]:
        """Ask in the place of somebody; return status, kind and body of the answer."""
        parts = urlsplit(request.path)
        self.heard.append(Heard(parts.hostname or "", request.command, parts.path))
        length = int(request.headers.get("Content-Length") or 0)
        body = request.rfile.read(length) if length else None
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        asked = urllib.request.Request(  # noqa: S310 - a scripted Ray
            request.path, data=body, method=request.command, headers=headers
        )
        try:
            with self._opener.open(asked, timeout=30) as answer:
                return answer.status, answer.headers.get("Content-Type", ""), answer.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.headers.get("Content-Type", ""), refusal.read()
        except OSError as error:
            return NOBODY, "text/plain", str(error).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of askers that died: killing them is what tests do."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def listening(proxy: str) -> Iterator[Listener]:
    """Listen on the way to a proxy while the block runs."""
    listener = Listener(proxy)

    class Passing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            status, kind, body = listener.pass_on(self)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = _pass  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            """Say nothing: everything is in `heard`."""

    server = _Server(("127.0.0.1", 0), Passing)
    listener.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, name="listener")
    thread.start()
    try:
        yield listener
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
