"""A door before an API server that lets everything through and notes who asked for what."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

HOP = frozenset({"transfer-encoding", "connection", "content-length"})
CHUNK = 65_536
PATIENCE = 900.0


class Door(ThreadingHTTPServer):
    """Listens on the loopback address; `noted` is what was asked for: method and path."""

    daemon_threads = True

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), Visit)
        self.behind = urlsplit(url).netloc
        self.noted: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        """Where the door is."""
        return f"http://127.0.0.1:{self.server_port}"


class Visit(BaseHTTPRequestHandler):
    """One request, passed on; the answer comes back as it comes, watches included."""

    server: Door

    def do_GET(self) -> None:
        """Pass it on."""
        self.server.noted.append((self.command, self.path))
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        behind = http.client.HTTPConnection(self.server.behind, timeout=PATIENCE)
        try:
            behind.request(self.command, self.path, body, dict(self.headers.items()))
            self._answer(behind.getresponse())
        except (OSError, http.client.HTTPException):
            self.close_connection = True
        finally:
            behind.close()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815 - the server's words

    def _answer(self, answer: http.client.HTTPResponse) -> None:
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        while part := answer.read1(CHUNK):
            self.wfile.write(part)
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing: what was asked for is noted."""


@contextmanager
def noting(url: str) -> Iterator[Door]:
    """Keep a door open while the block runs."""
    with Door(url) as door:
        thread = Thread(target=door.serve_forever, daemon=True)
        thread.start()
        try:
            yield door
        finally:
            door.shutdown()
            thread.join()
