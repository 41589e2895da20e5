"""Everything on one virtual clock and one seed: the bus, Kubernetes, the processes, who looks on.

A world begins healthy. Faults and wishes happen to it (`plan.py`), `mend` makes it healthy again,
and `violations` holds what the invariants said meanwhile.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Self

from msgspec.structs import replace

from heliograph.simulator.dashboards import SandboxDashboards
from sandbox.errors import ApiError
from sandbox.history import WatchEvent
from sandbox.requests import WRITING, Answer, Request
from shared.bus.memory import MemoryServer
from shared.bus.memory_clock import EPOCH
from shared.events import subjects
from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.kernel.keys import ResourceKey
from shared.ports.cluster import ClusterUnavailable
from shared.ports.event_log import BusUnavailable, Message
from shared.runtime.settings import Settings
from tests.simulation.archive import Archive
from tests.simulation.features.neighbours import furnish, issue
from tests.simulation.features.settings import looked_upon, rich, rules_of, settings_of, turn_of
from tests.simulation.invariants.everything import watch_over
from tests.simulation.invariants.invariant import RayCall, Scene, Weather
from tests.simulation.invariants.judges import Judges
from tests.simulation.invariants.quiet import Quiet
from tests.simulation.kinds import CLUSTER, PLURALS
from tests.simulation.kubernetes import Door, Kubernetes
from tests.simulation.loop import own_task
from tests.simulation.meetings import NONE, Meetings, state_of
from tests.simulation.nature import Nature
from tests.simulation.overheard import Overheard
from tests.simulation.process import Outside, Process
from tests.simulation.shadow import looked_on, never_calling
from tests.simulation.story import Asked, Said, Story
from tests.simulation.wishes import stranger

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
BEGINNING = EPOCH + timedelta(seconds=40)
"""When a world begins: soon enough before a minute is full that schedules come into play."""
SHADOW = 100
"""The number of processes that only look on."""
POISON = b'{"schema":1,"id":"?","body":{"type":"of newer code"}}'


class PuzzledError(Exception):
    """The rules broke over a resource because a fault wanted it so."""


EXCUSED = (BusUnavailable, ClusterUnavailable, PuzzledError)
Witness = Callable[[str, str], None]


def unseen(_who: str, _what: str) -> None:
    """Take no notice."""


class World:
    """One whole system; `troubles` befell it beside its plan, and end when the faults stop."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = Random(f"world {seed}")
        self.story = Story()
        self.server = MemoryServer(epoch=BEGINNING, dedupe_first=self.chance.random() < 0.5)
        self.nature = Nature(seed, self.server.clock.now, self.chance)
        if rich(seed):
            furnish(self.nature, turn_of(seed))
        self.nature.cluster.create("pods", stranger())
        self.dashboards = SandboxDashboards(self.nature.cluster, self.nature.wake)
        self.rules = rules_of(seed)
        self.archive = Archive()
        self.violations, self.met = list[str](), Meetings()
        self.violated = asyncio.Event()
        self.weather = Weather(BEGINNING)
        self.scene = self._scene()
        self.quiet = Quiet(self.scene)
        self._judges = Judges((*watch_over(self.scene), self.quiet), self.accuse)
        self.processes = tuple(self._replicas())
        self.troubles: list[asyncio.Task[None]] = []
        self.onlookers = tuple(self._shadow()) if looked_upon(seed) else ()
        """A second installation that only looks on, in some worlds; nothing befalls it."""
        self._living: list[asyncio.Task[None]] = []
        self._next: asyncio.Future[Record] | None = None
        self._moved = asyncio.Event()
        """Set whenever something is committed that users wrote."""
        self.poisoned: set[ResourceKey] = set()
        """Resources of which a record cannot be read."""
        self.witness: Witness = unseen
        """Told of every call that has changed something in Kubernetes, and of those to Ray."""

    def _scene(self) -> Scene:
        return Scene(
            nature=self.nature,
            archive=self.archive,
            features=self.rules.feature_gates,
            weather=self.weather,
            budgets=settings_of(self.seed).budgets,
            catches_up=self.rules.cron_catch_up,
            random_pod_delete=self.rules.enable_random_pod_delete,
            puzzled={},
        )

    def _replicas(self) -> Iterator[Process]:
        for service in SERVICES:
            for number in range(self.chance.choice((1, 1, 2))):
                yield self._process(service, number)

    def say(self, text: str) -> None:
        """Put something into the story."""
        self.story.add(self._now(), Said(text))

    def meet(self, fault: str) -> None:
        """Count in which states a fault finds the resources."""
        found = [
            (fault, kind, state_of(kind, resource))
            for kind, plural in PLURALS.items()
            for resource in self.nature.objects(plural)
        ]
        self.met.update(found or [(fault, CLUSTER, NONE)])

    async def until(self, kind: str, state: str) -> None:
        """Wait until a resource of a kind is in a state."""
        while state not in {state_of(kind, one) for one in self.nature.objects(PLURALS[kind])}:
            self._moved.clear()
            await self._moved.wait()

    def start(self) -> None:
        """Let Kubernetes live and all processes begin."""
        self.nature.tell(self._committed)
        self.server.log.listen(self._recorded)
        self._living.append(own_task("", self.nature.live(), "kubernetes"))
        if self.nature.gateways is not None:
            self._living.append(own_task("", self.nature.gateways.live(), "gateways"))
        if rich(self.seed):
            beside = issue(self.nature, turn_of(self.seed))
            self._living.append(own_task("", beside, "cert-manager"))
        for process in (*self.processes, *self.onlookers):
            process.start()

    def lose_log_after(self, last: int) -> None:
        """Cut the tail of the log off, as a power cut does."""
        self._end_of_old_lists()
        self.archive.cut(last)
        self.server.truncate(last)

    def lose_log(self) -> None:
        """Lose the whole log; a new one begins above its end."""
        self._end_of_old_lists()
        above = self.server.log.last_sequence + 1000
        self.archive.begin_anew(above)
        self.server.wipe(first_sequence=above)

    def damage_log(self, first: int, last: int) -> None:
        """Leave a hole in the middle of the log."""
        self._end_of_old_lists()
        self.archive.damage(first, last)
        self.server.damage(first, last)

    def _end_of_old_lists(self) -> None:
        """Let lists show what is there, as an API server promises for those that we ask for.

        Old ones show that the log never goes back. Where it has lost what it knew, nobody could
        tell an old list from a new one.
        """
        for process in self.processes:
            process.kubernetes.stale.clear()

    def poison(self, key: ResourceKey) -> None:
        """Put a record that nobody can read in the place of a resource's own."""
        last = self.server.log.last(subjects.own(key))
        if last is not None and not last.gone:
            self.poisoned.add(key)
            self.server.log.store(last.subject, last.headers, POISON)

    def touch(self, key: ResourceKey) -> None:
        """Change something about a resource that no decision looks at."""
        self.poisoned.discard(key)
        note = {"metadata": {"annotations": {"touched-at": str(self._now())}}}
        with suppress(ApiError):
            self.nature.cluster.patch(PLURALS[key.kind], key.namespace, key.name, note)

    async def next_record(self) -> Record:
        """Wait until something is recorded."""
        self._next = asyncio.get_running_loop().create_future()
        return await self._next

    async def mend(self) -> None:
        """Undo every fault: nothing is broken, nobody sleeps, everybody is there."""
        with self.weather.trouble(self.server.clock.now):
            await self._mend()

    async def _mend(self) -> None:
        self.nature.mend()
        for key in sorted(self.poisoned):
            self.touch(key)
        for process in self.processes:
            await process.mend()

    async def end(self) -> None:
        """Stop everything."""
        for process in (*self.processes, *self.onlookers):
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
        """Judge what broke a service, or its work on one resource.

        Only an unreachable bus or cluster excuses it, and a fault that wanted it.
        """
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                self.broke(each)
        elif not isinstance(error, EXCUSED):
            self.accuse(f"a service broke: {type(error).__name__}: {error}")

    def _shadow(self) -> Iterator[Process]:
        settings = settings_of(self.seed)
        settings = replace(settings, kube=replace(settings.kube, shadow=True))
        server = MemoryServer(epoch=BEGINNING)
        for service in SERVICES:
            yield self._process(service, SHADOW, server, settings)

    def _process(
        self,
        service: str,
        number: int,
        server: MemoryServer | None = None,
        settings: Settings | None = None,
    ) -> Process:
        chance = Random(f"process {self.seed} {service} {number}")

        def reach(name: str) -> Kubernetes:
            told = self._asked if number != SHADOW else looked_on(self.accuse)
            return Kubernetes(Door(self.nature.cluster, name, told), chance)

        outside = Outside(
            server=server or self.server,
            reach=reach,
            dashboard=self._dashboards_for(service, number),
            rules=self.rules,
            settings=settings or settings_of(self.seed),
            accuse=self.accuse,
        )
        return Process(service, number, outside, chance)

    def _dashboards_for(self, service: str, number: int) -> Overheard:
        hear = never_calling(self.accuse) if number == SHADOW else self._called
        return Overheard(self.dashboards, f"{service}-{number}", hear)

    def _committed(self, resource: str, change: WatchEvent) -> None:
        if resource in PLURALS.values():
            self._moved.set()
        self._judges.committed(resource, change)

    def _recorded(self, message: Message) -> None:
        try:
            record = decode(message)
        except UnreadableRecordError as problem:
            self.say(str(problem))
            return
        if self._next is not None and not self._next.done():
            self._next.set_result(record)
        self.story.add(self._now(), record)
        self.archive.take(record)
        self._judges.recorded(record)

    def _asked(self, who: str, request: Request, answer: Answer | None) -> None:
        if request.verb in WRITING:
            self.story.add(self._now(), Asked(who, request, answer is not None))
        if answer is None:
            self._judges.asked(who, request)
        elif request.verb in WRITING:
            self.witness(who, f"{request.verb} {request.resource} {request.name}")

    def _called(self, call: RayCall) -> None:
        self._judges.called(call)
        self.witness(call.who, f"{call.deed} at {call.service}")

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


class Complaints(logging.Handler):
    """Hears of what broke: a service as a whole, or what it does about one resource."""

    LOGGERS = (logging.getLogger("shared"), logging.getLogger("services"))

    def __init__(self, world: World) -> None:
        super().__init__(logging.ERROR)
        self._world = world

    def __enter__(self) -> Self:
        for logger in self.LOGGERS:
            logger.addHandler(self)
        return self

    def __exit__(self, *_exception: object) -> None:
        for logger in self.LOGGERS:
            logger.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self._world.broke(record.exc_info[1])
