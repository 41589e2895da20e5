"""What lies between one client and the memory server, and everything that can go wrong there.

A simulation pulls these strings: the link can be down, slow, lose a request or only its answer, and
can leave open tails silent. Answers that were on their way when the link broke are lost, as on a
real connection.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeVar

from shared.ports.event_log import BusUnavailable

T = TypeVar("T")


class Loss(Enum):
    """Which half of a round trip is lost."""

    REQUEST = "request"
    ANSWER = "answer"


class _Turn:
    """Waits until everybody else had a turn: `asyncio.sleep(0)`, of which there are many."""

    def __await__(self) -> Generator[None, None, None]:
        yield


_TURN = _Turn()


class Link:
    """One client's connection."""

    def __init__(self) -> None:
        self.up = True
        self.noticed = True
        """The server knows when the link is down; it does not, as long as a partition is young."""
        self.closed = False
        self.generation = 1
        self.silences = 0
        self.silenced_at = 0.0
        self.latency = 0.0
        self._losses: deque[Loss] = deque()
        self._listeners: dict[Callable[[], None], None] = {}

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener whenever something about the link changes."""
        self._listeners[listener] = None
        return lambda: self._listeners.pop(listener, None)

    def break_down(self, *, noticed: bool = True) -> None:
        """Cut the link."""
        self.up, self.noticed = False, noticed
        self._tell()

    def come_back(self) -> None:
        """Mend the link: a new connection."""
        if not self.closed:
            self.up = self.noticed = True
            self.generation += 1
            self._tell()

    def close(self) -> None:
        """Cut the link for good."""
        self.closed = True
        self.break_down()

    def silence(self) -> None:
        """Let every tail that is open now hear nothing more."""
        self.silences += 1
        self.silenced_at = asyncio.get_running_loop().time()
        self._tell()

    def lose(self, *losses: Loss) -> None:
        """Lose the next appends, one after the other."""
        self._losses.extend(losses)

    def check(self, generation: int) -> None:
        """Raise unless this connection is up."""
        if not self.up or self.generation != generation:
            raise BusUnavailable("the link is down")

    async def ask(self, work: Callable[[], T]) -> T:
        """Have work done at the server and bring the answer back.

        Each way takes its time, and the same connection must be there at its beginning and end.
        """
        generation = self.generation
        self.check(generation)
        await (asyncio.sleep(self.latency) if self.latency else _TURN)
        self.check(generation)
        answer = work()
        self.check(generation)
        await (asyncio.sleep(self.latency) if self.latency else _TURN)
        self.check(generation)
        return answer

    async def ask_with_losses(self, work: Callable[[], T]) -> T:
        """Do as `ask`, unless a loss was planned for this round trip."""
        loss = self._losses.popleft() if self._losses else None
        if loss is Loss.REQUEST:
            raise BusUnavailable("the request was lost")
        answer = await self.ask(work)
        if loss is Loss.ANSWER:
            raise BusUnavailable("the answer was lost")
        return answer

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
