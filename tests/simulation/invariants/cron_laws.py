"""The laws of RayCronJobs: one run for each tick, never early, and never a storm of missed ones."""

from collections.abc import Iterator
from datetime import timedelta

from sandbox.history import WatchEvent
from shared.kernel.manifests import controller_of, name_of, text_at
from tests.simulation.invariants.invariant import Invariant, Scene, owner_uid
from tests.simulation.kinds import RAYJOBS
from tests.simulation.kubernetes import CALL_DEADLINE

MINUTE = timedelta(minutes=1)
LATE = timedelta(seconds=CALL_DEADLINE)


class CronLaws(Invariant):
    """Runs of schedules, right after they are made."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._made: dict[str, list[int]] = {}

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource != RAYJOBS or change.type != "ADDED":
            return
        if text_at(controller_of(change.object), "kind") != "RayCronJob":
            return
        name = name_of(change.object)
        minute = int(name.rpartition("-")[2])
        now = self.scene.nature.cluster.state.clock()
        if now.timestamp() < minute * MINUTE.total_seconds():
            yield f"run {name} came before its time"
        former = self._made.setdefault(owner_uid(change.object), [])
        if former and minute <= max(former):
            yield f"run {name} came again, or after a later one"
        former.append(minute)
        span = int(now.timestamp() // 60) - min(former) + 1
        if len(former) > span:
            yield f"{len(former)} runs came in {span} minutes"
