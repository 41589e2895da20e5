"""One setting as a user meets it, and who needs it; the rows are in `shared.runtime.options`."""

from msgspec import Struct

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
"""What makes the operator: `all` of them."""
BESIDE = ("courier",)
"""What works on the log as well, and runs with `all` only where something is set for it to do."""
APART = ("webhook",)
"""What runs only where it is asked for by name, and needs no log."""
KUBE_USERS = ("watcher", "executor", "status")
DECIDING = ("reconciler", "status")
LOOKING = ("watcher", *DECIDING)
"""Whoever must know which kinds are looked at."""
LOGGED = (*SERVICES, *BESIDE)
EVERYBODY = (*LOGGED, *APART)


class Option(Struct, frozen=True, kw_only=True):
    """One setting as a user meets it."""

    name: str
    variable: str
    services: tuple[str, ...]
    help: str

    @property
    def flag(self) -> str:
        """The setting on a command line."""
        return "--" + self.name.replace("_", "-")


def option(name: str, variable: str, services: tuple[str, ...], sentence: str) -> Option:
    """Return a row of the table."""
    return Option(name=name, variable=variable, services=services, help=sentence)
