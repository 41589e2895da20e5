"""Whose log this is: of an installation that acts, or of one that only looks on.

Two installations on one log would carry out, or leave undone, each other's acts. So the first one
to start writes what it is, and one of the other mode refuses to start.
"""

from msgspec import Struct

NOT_DONE = "shadow: nothing is done"
"""What is answered of an action by an installation that only looks on."""


class ModeChosen(Struct, frozen=True, kw_only=True, tag="mode_chosen", omit_defaults=True):
    """What the installation on this log does about its decisions: carry them out, or nothing."""

    shadow: bool = False
