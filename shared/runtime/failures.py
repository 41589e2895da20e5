"""What ends a process, and the number it ends with."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    BROKEN = 1
    REFUSED = 2
    HURRIED = 3


class FatalError(Exception):
    """Trying again will not help; the message tells a person what happened and what to do."""


class SettingsError(FatalError):
    """A flag, variable or line of a file that cannot be used; the message names it."""
