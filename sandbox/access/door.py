"""The door of one server: who comes in, and as whom.

Without a token of its own the server trusts everybody who shows none: a sandbox on loopback is its
user's. With one, whoever shows it is the administrator, and who shows none is nobody.
"""

from collections.abc import Mapping

from sandbox.access import rbac
from sandbox.access.attributes import attributes
from sandbox.access.reviews import Asker
from sandbox.access.users import ADMIN, ANONYMOUS, User
from sandbox.errors import ApiError
from sandbox.state import State


class Door:
    """Knows the administrator's token and the tokens it gave to service accounts."""

    def __init__(self, state: State, token: str) -> None:
        self._state = state
        self._token = token
        self.asker = Asker(state, f"{state.uids()}{token}")

    def user(self, authorization: str) -> User:
        """Say who shows this header; raises `ApiError` (401) if that cannot be told."""
        scheme, _, given = authorization.partition(" ")
        shown = given.strip() if scheme.lower() == "bearer" else ""
        if shown:
            if self._token and shown == self._token:
                return ADMIN
            found = self.asker.user_of(shown)
            if found is not None:
                return found
            if self._token:
                raise ApiError.unauthorized()
        return ANONYMOUS if self._token else ADMIN

    def check(self, user: User, method: str, path: str, query: Mapping[str, str]) -> None:
        """Refuse what a user may not do."""
        if user.almighty:
            return
        wanted = attributes(method, path, query)
        if not rbac.allowed(self._state.store, user, wanted):
            because = rbac.missing(self._state.store, user, wanted.namespace)
            raise wanted.refusal(user.name, because)
