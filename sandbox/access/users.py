"""Who asks: a name and groups, as the API server sees everybody."""

from msgspec import Struct

AUTHENTICATED = "system:authenticated"
MASTERS = "system:masters"
ACCOUNT_PREFIX = "system:serviceaccount:"


class User(Struct, frozen=True, kw_only=True):
    """Somebody, and the groups they belong to."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""

    @property
    def almighty(self) -> bool:
        """Whether no role is needed."""
        return MASTERS in self.groups


ADMIN = User(name="system:admin", groups=(MASTERS, AUTHENTICATED))
ANONYMOUS = User(name="system:anonymous", groups=("system:unauthenticated",))


def account(namespace: str, name: str, uid: str = "") -> User:
    """Return the user that a service account is."""
    return User(
        name=f"{ACCOUNT_PREFIX}{namespace}:{name}",
        groups=("system:serviceaccounts", f"system:serviceaccounts:{namespace}", AUTHENTICATED),
        uid=uid,
    )
