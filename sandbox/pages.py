"""Tokens of lists that come in pages: which revision they show and where the next page begins.

Written as the API server writes them, so that whoever looks into one finds what is known. A token
without a revision goes on with what is there now: that is what a client gets who comes back too
late, and may use if an inconsistent list is better than none. Read next: reading.py.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from sandbox.errors import ApiError

VERSION = "meta.k8s.io/v1"
NOW = -1
TOO_LATE = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list."
)


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """The place of the next page."""

    version: str = msgspec.field(default=VERSION, name="v")
    revision: int = msgspec.field(name="rv")
    start: str

    def key(self, namespace: str) -> tuple[str, str]:
        """Return the first key that the page may show, in a list of a namespace or of all."""
        there, slash, name = self.start.lstrip("/").partition("/")
        return (there, name) if slash else (namespace, there)


def after(revision: int, key: tuple[str, str], namespace: str) -> str:
    """Write the token for what comes after a key, in a list of a namespace or of all."""
    place = key[1] if key[0] == namespace else f"{key[0]}/{key[1]}"
    return written(Token(revision=revision, start=f"{place}\0"))


def written(token: Token) -> str:
    """Write a token."""
    return urlsafe_b64encode(msgspec.json.encode(token)).decode().rstrip("=")


def read(text: str) -> Token:
    """Read a token; raises `ApiError` (400) if it is none."""
    padded = text + "=" * (-len(text) % 4)
    try:
        token = msgspec.json.decode(urlsafe_b64decode(padded), type=Token)
    except (binascii.Error, UnicodeEncodeError, msgspec.DecodeError) as error:
        raise ApiError.bad_request(f"continue key is not valid: {error}") from error
    if token.version != VERSION or not token.revision or not token.start:
        raise ApiError.bad_request("continue key is not valid: it names no place")
    return token


def too_late(token: Token) -> ApiError:
    """Say that the revision of a list is forgotten, with a token that goes on without it."""
    error = ApiError.expired(TOO_LATE)
    start = token.start.lstrip("/")
    error.status["metadata"] = {"continue": written(Token(revision=NOW, start=start))}
    return error
