"""How long to wait after failures in a row, at least as long as the server asks for."""

import asyncio
from datetime import timedelta
from random import Random

from shared.runtime.backoff import Backoff

PAUSES = Backoff(first=timedelta(milliseconds=250), most=timedelta(seconds=30))


class Pauses:
    """Counts failures; anything that went well begins the count anew."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._failures = 0

    def reset(self) -> None:
        """Forget earlier failures."""
        self._failures = 0

    async def after(self, problem: Exception | None = None) -> None:
        """Wait after one more failure, or after something that must not happen in a tight loop."""
        self._failures += 1
        pause = PAUSES.pause(self._failures, self._chance).total_seconds()
        asked = getattr(problem, "retry_after", None) or 0.0
        await asyncio.sleep(max(pause, asked))
