"""The token that a dashboard asks for, read from its Secret each time it is needed.

Nothing is kept: a Secret that is replaced counts with the next call. What is missing is told by
the Secret's name and key, never by what is in it.
"""

from base64 import b64decode
from binascii import Error
from collections.abc import Awaitable, Callable, Mapping

from shared.kernel.manifests import text_at
from shared.ports.dashboard import DashboardFailed, Failure

KEY = "auth_token"

FindSecret = Callable[[str, str], Awaitable[Mapping[str, object] | None]]
"""Reads a Secret by namespace and name; None if there is none."""


class SecretTokens:
    """Reads tokens; call it with namespace and name of the Secret."""

    def __init__(self, find: FindSecret) -> None:
        self._find = find

    async def __call__(self, namespace: str, name: str) -> str:
        """Return the token; raise `DashboardFailed` if there is none."""
        secret = await self._find(namespace, name)
        where = f"{namespace}/{name}"
        if secret is None:
            raise _missing(f"failed to get auth secret {where}: not found")
        written = text_at(secret, "data", KEY)
        if not written:
            raise _missing(f"auth token key '{KEY}' not found in secret {where}")
        try:
            return b64decode(written, validate=True).decode("ascii").strip()
        except (Error, UnicodeDecodeError):
            raise _missing(f"key '{KEY}' of secret {where} holds no token") from None


def _missing(told: str) -> DashboardFailed:
    return DashboardFailed(Failure.UNAUTHORIZED, told)
