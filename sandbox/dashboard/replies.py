"""What is asked of a dashboard and what it answers, as values. Pure.

Ray tells failures as plain text, mostly a traceback; only the last line is worth imitating, and the
frame around it that clients look into. Read next: answering.py.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

JSON = "application/json; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
HEALTH = "application/text; charset=utf-8"
OK, BAD, UNAUTHORIZED, FORBIDDEN, MISSING, BROKEN = 200, 400, 401, 403, 404, 500


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One request: header names in lower case, the path as it was sent."""

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer; `content_type` None where Ray names none."""

    status: int = OK
    content_type: str | None = TEXT
    body: bytes = b""
    delay: float = 0.0
    refused: bool = False

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def document(self) -> Any:
        """The body as parsed JSON."""
        return msgspec.json.decode(self.body)


REFUSED = Reply(status=0, refused=True)
NOT_FOUND = Reply(status=MISSING, body=b"404: Not Found")
EMPTY = Reply(content_type=None)
IN_TROUBLE = Reply(status=BROKEN, body=b"500 Internal Server Error\n\nServer got itself in trouble")


def document(value: Any) -> Reply:
    """Answer with JSON."""
    return Reply(content_type=JSON, body=msgspec.json.encode(value))


def sentence(status: int, words: str) -> Reply:
    """Answer with a line of text."""
    return Reply(status=status, body=words.encode())


def traceback(status: int, last: str) -> Reply:
    """Answer with what Ray prints of an exception: its last line is the one that says something."""
    return Reply(status=status, body=f"Traceback (most recent call last):\n{last}\n".encode())


def relayed(code: int, last: str) -> Reply:
    """Answer with a failure of the agent as the head passes it on: always 500."""
    inner = f"Traceback (most recent call last):\n{last}\n"
    return traceback(BROKEN, f"RuntimeError: Request failed with status code {code}: {inner}.")
