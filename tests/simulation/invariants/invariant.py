"""What an invariant is: it looks on, and complains in a sentence.

Each one has a file of its own. It is shown every commit in Kubernetes, every record of the log and
every request of ours before it is carried out, to the API server or to Ray, and yields a sentence
for what must never happen.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct

from sandbox.history import WatchEvent
from sandbox.requests import Request
from shared.events.envelope import Record
from shared.kernel.features import Features
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import controller_of, entries_at, mapping_at, text_at
from shared.ports.cluster import Object
from shared.runtime.settings import BudgetSettings
from tests.simulation.archive import Archive
from tests.simulation.nature import Nature

RECOVERY = timedelta(seconds=20)
"""How long something that broke may still be felt afterwards."""


class RayCall(Struct, frozen=True, kw_only=True):
    """A question of ours that is to change something at a Ray dashboard."""

    who: str
    deed: Literal["submit", "stop", "delete", "configure"]
    service: str
    job_id: str = ""
    config: Mapping[str, object] = {}


class Weather:
    """Whether something is broken, and since when nothing is."""

    def __init__(self, since: datetime) -> None:
        self._troubles = 0
        self._since = since

    @contextmanager
    def trouble(self, clock: Callable[[], datetime]) -> Iterator[None]:
        """Something is broken until the end of the block."""
        self._troubles += 1
        try:
            yield
        finally:
            self._troubles -= 1
            self._since = clock()

    def calm(self, since: datetime) -> bool:
        """Say whether nothing was broken from a moment on."""
        return self._troubles == 0 and self._since + RECOVERY <= since


class Scene(Struct, frozen=True, kw_only=True):
    """What invariants may look at."""

    nature: Nature
    archive: Archive
    features: Features = Features()
    weather: Weather
    budgets: BudgetSettings = BudgetSettings()
    """How much may be taken away in a while."""
    catches_up: bool = False
    """Whether every run of a schedule that was missed is made up for."""
    random_pod_delete: bool = False
    """Whether surplus is the operator's to remove also where an autoscaler is in charge."""
    puzzled: dict[ResourceKey, bool]
    """Resources over which the rules broke because a fault wanted it so, and whether they still do.
    """


class Invariant:
    """Looks on; the default has nothing to say."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def judges(self, what: str) -> bool:
        """Say whether it has anything to say of one sort of thing: few have of all."""
        return getattr(type(self), what) is not getattr(Invariant, what)

    def committed(self, resource: str, change: WatchEvent) -> Iterable[str]:
        """Judge a commit in Kubernetes."""
        return ()

    def recorded(self, record: Record) -> Iterable[str]:
        """Judge a record of the log."""
        return ()

    def asked(self, who: str, request: Request) -> Iterable[str]:
        """Judge a request that has arrived and is about to be carried out."""
        return ()

    def called(self, call: RayCall) -> Iterable[str]:
        """Judge a call to a Ray dashboard that is about to be carried out."""
        return ()


def owner_uid(obj: Object) -> str:
    """Return the uid of what controls an object."""
    return text_at(controller_of(obj), "uid")


def label(obj: Object, name: str) -> str:
    """Return one of an object's labels."""
    return str(mapping_at(obj, "metadata", "labels").get(name, ""))


def usable(pod: Object) -> bool:
    """Say whether a pod is neither ended nor on its way out."""
    going = text_at(pod, "metadata", "deletionTimestamp")
    return not going and text_at(pod, "status", "phase") not in {"Failed", "Succeeded"}


def ready(pod: Object) -> bool:
    """Say whether a pod is ready and stays."""
    return not text_at(pod, "metadata", "deletionTimestamp") and answers(pod)


def answers(pod: Object) -> bool:
    """Say whether a pod is ready, be it on its way out."""
    return any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in entries_at(pod, "status", "conditions")
    )
