"""The controllers at work on changes alone: who is concerned is looked at, nobody else.

Remembers three things: the index of what is there, the tasks that are to be looked at, and when
time alone makes a task due. Tells the same wishes as `everything.step`, which looks at everything;
a test holds the two together. A wish that was refused is asked for again when anything else
happens. Read next: concerns.py.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from heapq import heappop, heappush
from itertools import count
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox.controllers import endpoints, garbage, jobs, kubelet, namespaces, nodes, podevents
from sandbox.controllers.concerns import ORDER, SLICES, Controller, Task, concerned, own_tasks
from sandbox.controllers.index import PODS, Index, Place, place_of
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import Change, CreateObject, PutObject, PutStatus, Steps
from sandbox.objects import Object, dig, metadata, name_of, namespace_of

EVENTS = "events"
EVENTS_MAX = 2_000
Look: TypeAlias = Callable[[Object, datetime, Scenario], Steps]
Move: TypeAlias = Callable[[Object, Sequence[Object], datetime, Scenario], Steps]


def nobody(*_: object) -> Steps:
    """Want nothing."""
    return Steps()


class Wish(Struct, frozen=True, kw_only=True):
    """A change, and whose look asked for it."""

    task: Task
    change: Change


class Driver:
    """All controllers over one index."""

    def __init__(
        self,
        submitting: Look = nobody,
        *,
        tells: bool = False,
        only: frozenset[Controller] = frozenset(ORDER),
    ) -> None:
        self.index = Index()
        self.tells = tells
        """Whether scheduler and kubelet write events."""
        self.moving: Move = kubelet.move
        """Who takes pods from created to gone."""
        self._events: deque[Place] = deque()
        self._todo: dict[Task, None] = {}
        self._refused: dict[Task, None] = {}
        self._due: list[tuple[datetime, int, Task]] = []
        self._due_at: dict[Task, datetime] = {}
        self._numbers = count()
        self._scenario: Scenario | None = None
        looks: Mapping[Controller, Look] = {
            "garbage": self._sweep,
            "namespaces": self._empty,
            "nodes": nodes.keep,
            "jobs": self._advance,
            "submitters": submitting,
            "kubelet": self._move,
            "endpoints": self._publish,
        }
        self._looks = {name: look if name in only else nobody for name, look in looks.items()}

    def note(self, plural: str, after: Object | None, before: Object | None = None) -> None:
        """Take a change in: what an object is now (None: gone), and what it was if known."""
        some = after if after is not None else before
        if some is None:
            return
        place = place_of(plural, some)
        known = self.index.get(place)
        if plural == EVENTS and known is None and podevents.is_ours(some):
            self._events.append(place)
        if after is None:
            self.index.drop(plural, some)
        else:
            self.index.put(plural, after)
        self._add(concerned(place, known or before, after, self.index))

    def note_all(self, objects: Iterable[tuple[str, Object]]) -> None:
        """Start over from what is there now."""
        self.index.clear()
        self._todo.clear()
        self._events.clear()
        for plural, obj in objects:
            self.index.put(plural, obj)
            if plural == EVENTS and podevents.is_ours(obj):
                self._events.append(place_of(plural, obj))
        self.look_everywhere()

    def look_everywhere(self) -> None:
        """Look at everything once, whatever happened."""
        for place in self.index.places():
            self._add(own_tasks(place))

    def look_at(self, place: Place) -> None:
        """Look at one object once more."""
        self._add(own_tasks(place))

    def refuse(self, task: Task) -> None:
        """Remember that a wish of this task was refused."""
        self._refused[task] = None

    def begin(self) -> None:
        """Ask again for what was refused: something has happened since."""
        self._add(self._refused)
        self._refused.clear()

    def wishes(self, now: datetime, scenario: Scenario) -> list[Wish]:
        """Look at everything that is due; return what is wanted now."""
        if scenario is not self._scenario:
            self._scenario = scenario
            self.look_everywhere()
        self._wake(now)
        todo = sorted(self._todo, key=lambda task: ORDER.index(task.controller))
        self._todo.clear()
        found = list(self._forgotten())
        for task in todo:
            steps = self._look(task, now, scenario)
            self._plan(task, steps.next_at)
            found += (Wish(task=task, change=change) for change in steps.changes)
        return found

    @property
    def next_at(self) -> datetime | None:
        """Say when time alone makes a task due."""
        while self._due and self._due_at.get(self._due[0][2]) != self._due[0][0]:
            heappop(self._due)
        return self._due[0][0] if self._due else None

    def _add(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            self._todo[task] = None

    def _wake(self, now: datetime) -> None:
        while (due := self.next_at) is not None and due <= now:
            task = heappop(self._due)[2]
            del self._due_at[task]
            self._todo[task] = None

    def _plan(self, task: Task, at: datetime | None) -> None:
        if at is None:
            self._due_at.pop(task, None)
        elif self._due_at.get(task) != at:
            self._due_at[task] = at
            heappush(self._due, (at, next(self._numbers), task))

    def _look(self, task: Task, now: datetime, scenario: Scenario) -> Steps:
        obj = self.index.get(task.place)
        return Steps() if obj is None else self._looks[task.controller](obj, now, scenario)

    def _sweep(self, obj: Object, *_: object) -> Steps:
        place = self.index.place(str(metadata(obj).get("uid", "")))
        if place is None:
            return Steps()
        return garbage.sweep(place[0], obj, self.index, self.index.dependents)

    def _empty(self, space: Object, *_: object) -> Steps:
        return namespaces.empty(space, self.index.contents(name_of(space)))

    def _advance(self, job: Object, now: datetime, _: Scenario) -> Steps:
        return jobs.advance(job, list(self._controlled(job)), now)

    def _move(self, pod: Object, now: datetime, scenario: Scenario) -> Steps:
        steps = self.moving(pod, tuple(self.index.objects("nodes")), now, scenario)
        if not self.tells or not steps.changes:
            return steps
        told = [
            event
            for change in steps.changes
            if isinstance(change, PutObject | PutStatus)
            for event in podevents.events(pod, change.object, now)
        ]
        made = (CreateObject(plural=EVENTS, object=event) for event in told)
        return replace(steps, changes=(*steps.changes, *made))

    def _forgotten(self) -> Iterator[Wish]:
        """Ask for the removal of the oldest events, so that they do not fill the memory."""
        while len(self._events) > EVENTS_MAX:
            place = self._events.popleft()
            event = self.index.get(place)
            if event is not None:
                yield Wish(task=Task("garbage", place), change=garbage.removal(EVENTS, event))

    def _controlled(self, owner: Object) -> Iterator[Object]:
        uid = str(metadata(owner).get("uid"))
        for plural, obj in self.index.dependents(uid):
            references = metadata(obj).get("ownerReferences") or ()
            if plural == PODS and any(
                each.get("controller") and each.get("uid") == uid for each in references
            ):
                yield obj

    def _publish(self, service: Object, *_: object) -> Steps:
        selector = dig(service, "spec.selector")
        if not selector:
            return Steps()
        candidates = self.index.labelled(namespace_of(service), *min(selector.items()))
        owned = self.index.dependents(str(metadata(service).get("uid")))
        held = [obj for plural, obj in owned if plural == SLICES and endpoints.is_ours(obj)]
        return endpoints.publish(service, candidates, held)
