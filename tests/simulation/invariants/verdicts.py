"""A RayJob is told to have ended as its program ended, and as soon as its deadline passed.

28 a program that fails is never told to have succeeded, nor one that cannot fail to have failed by
itself, nor a head to be lost that is there; 30 a deadline is held within seconds where nothing is
broken, and never early.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta

from sandbox.dashboard.jobs import DRIVER_DIED
from sandbox.history import WatchEvent
from shared.aggregates.rayjob import moment_at
from shared.kernel.manifests import (
    entries_at,
    integer_at,
    labels_of,
    mapping_at,
    name_of,
    text_at,
    uid_of,
    values_at,
)
from shared.ports.cluster import Object
from shared.resources.labels import CLUSTER, HEAD, NODE_TYPE
from tests.simulation.invariants.invariant import Invariant, Scene
from tests.simulation.kinds import RAYJOBS
from tests.simulation.scripts import BY_HAND, FAILS, SUCCEEDS, TAKES_LONG
from tests.support.joblaws import NAME, PHASE

CONTAINERS = ("spec", "submitterPodTemplate", "spec", "containers")
PROGRAM_FOLLOWS = "--"
HARMLESS = frozenset({SUCCEEDS, TAKES_LONG})
SECOND = timedelta(seconds=1)
PROMPT = timedelta(seconds=3)
"""How late a deadline may be told where all is well: a second, and what statuses leave out."""
BY_ITSELF, IN_TIME = "AppFailed", "DeadlineExceeded"
NO_HEAD = "Ray head pod not found."
LOST = ("Submitter completed but Ray job not found", DRIVER_DIED)
"""What is told of a job that was lost with its head."""
ENDS = frozenset({"Complete", "Failed", "Retrying"})


class Verdicts(Invariant):
    """How RayJobs are told to have ended."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._wanted: dict[str, set[tuple[str, int]]] = defaultdict(set)
        """Which programs and deadlines a RayJob ever had."""
        self._headless: set[str] = set()
        """Clusters that ever lost a head."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == "pods" and change.type == "DELETED":
            labels = labels_of(change.object)
            if labels.get(NODE_TYPE) == HEAD:
                self._headless.add(labels.get(CLUSTER, ""))
        if resource != RAYJOBS or change.type == "DELETED":
            return
        job = change.object
        deadline = integer_at(job, "spec", "activeDeadlineSeconds") or 0
        self._wanted[uid_of(job)].add((_program(job), deadline))
        before = mapping_at(change.previous or {}, "status")
        if text_at(job, "status", PHASE) in ENDS - {text_at(before, PHASE)}:
            yield from (f"job {name_of(job)}: {told}" for told in self._ended(before, job))

    def _ended(self, before: Mapping[str, object], job: Object) -> Iterator[str]:
        wanted, status = self._wanted[uid_of(job)], mapping_at(job, "status")
        programs = {program for program, _ in wanted}
        if programs == {FAILS} and text_at(status, PHASE) == "Complete":
            yield "28: it is told to be complete, and its program fails"
        if text_at(status, "reason") == BY_ITSELF:
            yield from self._failed(status, harmless=programs <= HARMLESS)
        deadlines = {deadline for _, deadline in wanted}
        if len(deadlines) == 1:
            yield from self._timed(before, status, timedelta(seconds=deadlines.pop()))

    def _failed(self, status: Mapping[str, object], *, harmless: bool) -> Iterator[str]:
        message = text_at(status, "message")
        if message.startswith(NO_HEAD):
            if text_at(status, NAME) not in self._headless:
                yield "28: its head is told to be gone, and never was"
        elif harmless and not message.startswith(LOST):
            yield "28: its program is told to have failed, and cannot fail"

    def _timed(
        self, before: Mapping[str, object], status: Mapping[str, object], deadline: timedelta
    ) -> Iterator[str]:
        begun, late = moment_at(before, "startTime"), text_at(status, "reason") == IN_TIME
        if begun is None or not deadline:
            if late and not deadline:
                yield "30: it is told to be late, and has no deadline"
            return
        due, now = begun + deadline, self.scene.nature.cluster.state.clock()
        if late and now < due - SECOND:
            yield f"30: it is told to be late before {due}"
        if now > due + PROMPT and self.scene.weather.calm(due):
            yield f"30: it was due at {due}, and went on"


def _program(job: Object) -> str:
    """Return what runs: what the user or their submitter submits, or the entrypoint; else ""."""
    if text_at(job, "spec", "jobId") == BY_HAND:
        return ""
    for container in entries_at(job, *CONTAINERS):
        command = values_at(container, "command")
        if PROGRAM_FOLLOWS in command:
            return " ".join(map(str, command[command.index(PROGRAM_FOLLOWS) + 1 :]))
        if command:
            return ""
    return text_at(job, "spec", "entrypoint")
