"""Ids made from content, so that doing something twice makes the same id twice.

A record's id covers its subject and fence as well: the same content written a second time after
something else (A, B, A) is three records, not two.
"""

from hashlib import blake2b


def content_id(*parts: str | int | bytes) -> str:
    """Return a short id of the parts; their boundaries count."""
    digest = blake2b(digest_size=12)
    for part in parts:
        raw = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()
