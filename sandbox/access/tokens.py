"""Tokens of service accounts: signed with the server's own secret, bound to the account's uid.

Pure. Invariant: a token is good as long as its account exists under the same uid and its time is
not over; nothing else is remembered. They look like the real ones (three parts), but only this
server can read them.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from datetime import datetime
from hashlib import sha256

import msgspec
from msgspec import Struct

PARTS = 3


class Claims(Struct, frozen=True, kw_only=True):
    """What a token says: whose it is, and until when."""

    namespace: str
    name: str
    uid: str
    expires_at: datetime


def issued(claims: Claims, secret: str) -> str:
    """Write a token."""
    head = _encoded(b'{"alg":"HS256","typ":"JWT"}')
    body = _encoded(msgspec.json.encode(claims))
    return f"{head}.{body}.{_signature(f'{head}.{body}', secret)}"


def read(token: str, secret: str, now: datetime) -> Claims | None:
    """Read a token; None if it is not ours or its time is over."""
    signed, _, signature = token.rpartition(".")
    if token.count(".") != PARTS - 1 or not hmac.compare_digest(
        _signature(signed, secret).encode(), signature.encode()
    ):
        return None
    try:
        body = urlsafe_b64decode(signed.partition(".")[2] + "==")
        claims = msgspec.json.decode(body, type=Claims)
    except (Error, msgspec.DecodeError):
        return None
    return claims if claims.expires_at > now else None


def _signature(text: str, secret: str) -> str:
    return _encoded(hmac.new(secret.encode(), text.encode(), sha256).digest())


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
