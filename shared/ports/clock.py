"""What time it is, for the shell only.

The core never asks: it takes `now` from the log. Adapters: `shared.runtime.clock` and the virtual
clock of the simulation.
"""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """A source of the present moment."""

    def now(self) -> datetime:
        """Return the present moment, in UTC."""
        ...
