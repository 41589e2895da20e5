"""Scheduler and kubelet for pods that really run: a worker for each, and statuses that tell of it.

Takes the place of `sandbox.controllers.kubelet` in the driver: asked about one pod it starts or
stops its worker and returns the status that is due. Pods that are gone without having been stopped
are found by `sweep`. Read next: podworker.py.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from sandbox.controllers.addresses import node_address
from sandbox.controllers.index import PODS, Index, Place, place_of
from sandbox.controllers.nodes import place
from sandbox.controllers.podconditions import unscheduled
from sandbox.controllers.podlogs import Line
from sandbox.controllers.podstatus import quality
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.timeline import STOPPING_AT, precise, stopping_at
from sandbox.controllers.told import with_note
from sandbox.controllers.world import PutObject, PutStatus, RemoveObject, Steps
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, timestamp
from sandbox.ray.folders import rewrite
from sandbox.ray.podworker import PodWorker, Surroundings
from sandbox.ray.report import status

log = logging.getLogger(__name__)

LOOK_EVERY = 0.3
GRACE = 30.0
REMEMBER_FOR = 3.0


class RealKubelet:
    """All workers of one machine."""

    def __init__(
        self, around: Surroundings, index: Index, look_at: Callable[[Place], None]
    ) -> None:
        self._around = around
        self._index = index
        self._look_at = look_at
        self._workers: dict[str, PodWorker] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._names: dict[str, str] = {}
        self._over_at: dict[str, float] = {}

    def move(
        self, pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario
    ) -> Steps:
        """Say what is due for one pod, and see to it that it runs or ends."""
        if not dig(pod, "spec.nodeName"):
            return self._schedule(pod, nodes, now, scenario)
        worker = self._worker(pod)
        if metadata(pod).get("deletionTimestamp"):
            return self._stop(pod, worker, nodes, now)
        return Steps(changes=self._told(pod, worker, nodes, now))

    def printed(self, pod: Object, container: str, *, previous: bool) -> Sequence[Line] | None:
        """Return what a container printed; None if this is not known here."""
        worker = self._workers.get(_uid(pod))
        return None if worker is None else worker.printed(container, previous=previous)

    async def look_around(self) -> None:
        """Keep names up to date and end what nobody wants any more, until cancelled."""
        while True:
            self.sweep()
            self.rename()
            await asyncio.sleep(LOOK_EVERY)

    def sweep(self) -> None:
        """End the workers of pods that are gone; forget those that are over."""
        for uid, worker in list(self._workers.items()):
            if self._index.find_uid(uid) is not None:
                continue
            worker.stop(0.0)
            if worker.over and self._forgotten(uid):
                del self._workers[uid], self._tasks[uid], self._over_at[uid]
                self._names.pop(uid, None)

    def _forgotten(self, uid: str) -> bool:
        """Tell whether a worker has been over for so long that nobody reads its last lines."""
        now = asyncio.get_running_loop().time()
        return now - self._over_at.setdefault(uid, now) >= REMEMBER_FOR

    def rename(self) -> None:
        """Write the names of services where they have changed."""
        for uid, worker in self._workers.items():
            if worker.over or not worker.hosts.exists():
                continue
            known = worker.names
            if known != self._names.get(uid):
                self._names[uid] = known
                rewrite(worker.hosts, known.encode())

    async def close(self, grace: float) -> None:
        """End every pod within the grace."""
        for worker in self._workers.values():
            own = dig(worker.pod, "spec.terminationGracePeriodSeconds")
            worker.stop(grace if own is None else min(grace, float(own)))
        tasks = [task for task in self._tasks.values() if not task.done()]
        if tasks:
            await asyncio.wait(tasks, timeout=grace + 2)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _worker(self, pod: Object) -> PodWorker | None:
        """Find the pod's worker; start one unless the pod has ended, or is about to."""
        uid = _uid(pod)
        found = self._workers.get(uid)
        if found is not None or _ended(pod) or metadata(pod).get("deletionTimestamp"):
            return found
        spot = place_of(PODS, pod)
        made = PodWorker(pod, self._around, lambda: self._look_at(spot))
        self._workers[uid] = made
        self._tasks[uid] = asyncio.create_task(made.run(), name=f"pod {name_of(pod)}")
        self._tasks[uid].add_done_callback(_tell_if_broken)
        return made

    def _told(
        self, pod: Object, worker: PodWorker | None, nodes: Sequence[Object], now: datetime
    ) -> tuple[PutStatus, ...]:
        if worker is None or _ended(pod):
            return ()
        name = str(dig(pod, "spec.nodeName"))
        node = next((each for each in nodes if name_of(each) == name), None)
        told = status(pod, worker.facts, now, node_address(node, name))
        if told == pod.get("status"):
            return ()
        return (PutStatus(plural=PODS, object={**pod, "status": told}),)

    def _stop(
        self, pod: Object, worker: PodWorker | None, nodes: Sequence[Object], now: datetime
    ) -> Steps:
        if worker is None or worker.over:
            return Steps(changes=(*self._told(pod, worker, nodes, now), *_removal(pod)))
        grace = metadata(pod).get("deletionGracePeriodSeconds")
        worker.stop(GRACE if grace is None else float(grace))
        if stopping_at(pod) is None:
            marked = with_note(pod, STOPPING_AT, precise(now))
            return Steps(changes=(PutObject(plural=PODS, object=marked),))
        return Steps(changes=self._told(pod, worker, nodes, now))

    def _schedule(
        self, pod: Object, nodes: Sequence[Object], now: datetime, scenario: Scenario
    ) -> Steps:
        if metadata(pod).get("deletionTimestamp"):
            return Steps(changes=_removal(pod))
        placement = place(pod, nodes, scenario)
        known = {"phase": "Pending", "qosClass": quality(pod), **(pod.get("status") or {})}
        if placement.node:
            bound = {**pod, "spec": {**pod["spec"], "nodeName": placement.node}, "status": known}
            return Steps(changes=(PutObject(plural=PODS, object=bound),))
        told = unscheduled(pod, placement.refusal, timestamp(now))
        waiting = {**pod, "status": {**known, "conditions": told}}
        return Steps(changes=() if waiting == pod else (PutObject(plural=PODS, object=waiting),))


def _tell_if_broken(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("pod worker stopped", exc_info=error)


def _removal(pod: Object) -> tuple[RemoveObject, ...]:
    """Ask for the pod's removal, unless that was asked and finalizers hold it."""
    meta = metadata(pod)
    if meta.get("finalizers") and meta.get("deletionGracePeriodSeconds") == 0:
        return ()
    wanted = RemoveObject(
        plural=PODS, namespace=namespace_of(pod), name=name_of(pod), uid=_uid(pod)
    )
    return (wanted,)


def _uid(pod: Object) -> str:
    return str(metadata(pod).get("uid", ""))


def _ended(pod: Object) -> bool:
    return dig(pod, "status.phase") in {"Succeeded", "Failed"}
