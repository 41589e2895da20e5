"""Everything on one virtual clock and one seed: the bus, Kubernetes, the processes, who looks on.

A world begins healthy. Faults and wishes happen to it (`plan.py`), `mend` makes it healthy again,
and `violations` holds what the invariants said meanwhile.
"""

import asyncio
import logging
from contextlib import suppress
from random import Random

from sandbox.history import WatchEvent
from sandbox.requests import WRITING, Answer, Request
from shared.bus.memory import MemoryServer
from shared.events.codec import decode
from shared.ports.cluster import ClusterUnavailable
from shared.ports.event_log import BusUnavailable, Message
from tests.simulation.archive import Archive
from tests.simulation.invariants.everything import watch_over
from tests.simulation.invariants.invariant import Invariant, Scene
from tests.simulation.invariants.quiet import Quiet
from tests.simulation.kubernetes import Door, Kubernetes
from tests.simulation.loop import own_task
from tests.simulation.meetings import Meetings, state_of
from tests.simulation.nature import RAYCLUSTERS, Nature
from tests.simulation.process import Process
from tests.simulation.story import Asked, Said, Story
from tests.simulation.wishes import stranger

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
EXCUSED = (BusUnavailable, ClusterUnavailable)


class World:
    """One whole system."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(f"world {seed}")
        self.story = Story()
        self.server = MemoryServer(dedupe_first=self.chance.random() < 0.5)
        self.nature = Nature(seed, self.server.clock.now, self.chance)
        self.nature.cluster.create("pods", stranger())
        self.archive = Archive()
        self.violations: list[str] = []
        self.met: Meetings = Meetings()
        self.violated = asyncio.Event()
        scene = Scene(nature=self.nature, archive=self.archive)
        self.scene = scene
        self.quiet = Quiet(scene)
        self._onlookers: tuple[Invariant, ...] = (*watch_over(scene), self.quiet)
        self.processes = tuple(
            self._process(service, number)
            for service in SERVICES
            for number in range(self.chance.choice((1, 1, 2)))
        )
        self._living: asyncio.Task[None] | None = None

    def say(self, text: str) -> None:
        """Put something into the story."""
        self.story.add(self._now(), Said(text))

    def meet(self, fault: str) -> None:
        """Count in which states a fault finds the clusters."""
        states = [state_of(cluster) for cluster in self.nature.objects(RAYCLUSTERS)] or ["none"]
        self.met.update((fault, state) for state in states)

    def start(self) -> None:
        """Let Kubernetes live and all processes begin."""
        self.nature.tell(self._committed)
        self.server.log.listen(self._recorded)
        self._living = own_task("", self.nature.live(), "kubernetes")
        for process in self.processes:
            process.start()

    def lose_log_after(self, last: int) -> None:
        """Cut the tail of the log off, as a power cut does."""
        self.archive.cut(last)
        self.server.truncate(last)

    def lose_log(self) -> None:
        """Lose the whole log; a new one begins above its end."""
        above = self.server.log.last_sequence + 1000
        self.archive.cut(0)
        self.server.wipe(first_sequence=above)

    async def mend(self) -> None:
        """Undo every fault: nothing is broken, nobody sleeps, everybody is there."""
        self.nature.held_up_until = 0.0
        for process in self.processes:
            await process.mend()

    async def end(self) -> None:
        """Stop everything."""
        for process in self.processes:
            await process.crash()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others)

    async def wait(self, seconds: float) -> None:
        """Let time pass, unless something must never have happened."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.violated.wait()

    def accuse(self, sentence: str) -> None:
        """Take note of something that must never happen."""
        self.say(f"VIOLATION: {sentence}")
        self.violations.append(sentence)
        self.violated.set()

    def broke(self, error: BaseException) -> None:
        """Judge what ended a service; only an unreachable bus or cluster excuses it."""
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                self.broke(each)
        elif not isinstance(error, EXCUSED):
            self.accuse(f"a service broke: {type(error).__name__}: {error}")

    def _process(self, service: str, number: int) -> Process:
        chance = Random(f"process {self.seed} {service} {number}")

        def reach(name: str) -> Kubernetes:
            return Kubernetes(Door(self.nature.cluster, name, self._asked), chance)

        return Process(service, number, server=self.server, reach=reach, chance=chance)

    def _committed(self, resource: str, change: WatchEvent) -> None:
        for invariant in self._onlookers:
            for sentence in invariant.committed(resource, change):
                self.accuse(sentence)

    def _recorded(self, message: Message) -> None:
        record = decode(message)
        self.story.add(self._now(), record)
        self.archive.take(record)
        for invariant in self._onlookers:
            for sentence in invariant.recorded(record):
                self.accuse(sentence)

    def _asked(self, who: str, request: Request, answer: Answer | None) -> None:
        if request.verb in WRITING:
            self.story.add(self._now(), Asked(who, request, answer is not None))
        if answer is None:
            for invariant in self._onlookers:
                for sentence in invariant.asked(who, request):
                    self.accuse(sentence)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


class Complaints(logging.Handler):
    """Hears of services that broke, where the supervisor says so."""

    LOGGER = logging.getLogger("shared.runtime.supervision")

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._world.broke(record.exc_info[1])
