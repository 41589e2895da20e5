"""The laws of RayJobs over the whole system: those that every story of the model is held to.

25 one cluster in an attempt, no more attempts than allowed; 26 one Ray job in an attempt; 27 phases
move along the table; 28 the end is told before its cluster goes; 29 deletions are not early; 30 in
the end a job is over, or rests as its user wants. Told by Kubernetes, whoever wrote it there.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from sandbox.history import WatchEvent
from sandbox.requests import Request
from shared.aggregates.rayjob import (
    COMPLETE,
    INITIALIZING,
    INVALID,
    OVER,
    RUNNING,
    SUSPENDED,
    WAITING,
    moment_at,
)
from shared.kernel.manifests import (
    integer_at,
    mapping_at,
    name_of,
    text_at,
    uid_of,
    value_at,
)
from shared.ports.cluster import Object
from shared.resources.job_options import INTERACTIVE_MODE
from shared.resources.labels import CLUSTER
from tests.simulation.invariants.invariant import Invariant, Scene, owner_uid
from tests.simulation.kinds import JOB, RAYCLUSTERS, RAYJOBS
from tests.simulation.nature import JOBS, names
from tests.simulation.wishes import SELDOM
from tests.support.joblaws import NAME, PHASE, REMOVING, counted, moved

SECOND = timedelta(seconds=1)
"""How much a status leaves out of a moment."""
IN_THE_WAY = (
    "only RayCluster is supported",
    "does not support RayJob",
    "to use the metadata field",
    "was made without a submitter",
)
"""What a user is told who asks for more than a batch scheduler, an old Ray or a head can do."""
NOT_SUBMITTED = ("has not submitted it within", "which is yours to submit")
"""Likewise who brings a submitter that does something else, or whose own job Ray has lost."""


class JobLaws(Invariant):
    """RayJobs, their clusters and their Ray jobs."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._ran: dict[tuple[str, str], set[str]] = defaultdict(set)
        """The Ray jobs of each attempt of a RayJob, by uid and cluster."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == RAYJOBS and change.previous is not None and change.type != "DELETED":
            yield from self._told(change.previous, change.object)
        elif resource in (RAYCLUSTERS, JOBS) and change.type == "ADDED":
            yield from self._made(resource, change.object)

    def asked(self, who: str, request: Request) -> Iterator[str]:
        if request.verb == "delete" and request.resource in (RAYCLUSTERS, RAYJOBS):
            found = self.scene.nature.find_uid(request.deletion.uid or "")
            job = self._job_of(found, request.resource)
            if found is not None and job is not None:
                yield from self._removed(found, job)

    def _job_of(self, found: Object | None, resource: str) -> Object | None:
        if found is None or resource == RAYJOBS:
            return found
        owner = self.scene.nature.find_uid(owner_uid(found))
        return owner if owner is not None and owner.get("kind") == "RayJob" else None

    def _told(self, before: Object, after: Object) -> Iterator[str]:
        old, new = mapping_at(before, "status"), mapping_at(after, "status")
        if old == new:
            return
        who = f"job {name_of(after)}"
        phases = text_at(old, PHASE), text_at(new, PHASE)
        yield from (f"{who}: {told}" for told in moved(*phases))
        yield from (f"{who}: {told}" for told in counted(old, new, mapping_at(after, "spec")))
        ran = self._ran[uid_of(after), f"{text_at(new, NAME)} {integer_at(new, 'failed') or 0}"]
        ran.update({text_at(new, "jobId")} - {""})
        if len(ran) > 1:
            yield f"{who}: 26: one attempt has the Ray jobs {', '.join(sorted(ran))}"

    def _made(self, resource: str, made: Object) -> Iterator[str]:
        job = self.scene.nature.find_uid(owner_uid(made))
        if job is None or job.get("kind") != "RayJob":
            return
        others = [
            one
            for one in self.scene.nature.owned(resource, uid_of(job))
            if uid_of(one) != uid_of(made) and not text_at(one, "metadata", "deletionTimestamp")
        ]
        if others:
            yield f"25: {name_of(made)} was made beside {', '.join(names(others))}"

    def _removed(self, found: Object, job: Object) -> Iterator[str]:
        """Judge a deletion by us: what is told of the job, and for how long."""
        if text_at(job, "metadata", "deletionTimestamp"):
            return
        phase = text_at(job, "status", PHASE)
        if phase not in REMOVING:
            yield f"28: {name_of(found)} was deleted in {phase or 'no phase'}"
        elif phase in OVER:
            end = moment_at(mapping_at(job, "status"), "endTime")
            ttl = timedelta(seconds=integer_at(job, "spec", "ttlSecondsAfterFinished") or 0)
            if end is None or self._now() < end + ttl - SECOND:
                yield f"29: {name_of(found)} was deleted before {end} and {ttl}"

    def _now(self) -> datetime:
        return self.scene.nature.cluster.state.clock()


def unfinished(scene: Scene, job: Object) -> Iterator[str]:
    """Yield what is not as it should be of a RayJob in the end."""
    phase, name = text_at(job, "status", PHASE), name_of(job)
    if text_at(job, "metadata", "deletionTimestamp"):
        yield f"job {name} is still on its way out"
        return
    wants_rest = value_at(job, "spec", "suspend") is True
    clusters = names(scene.nature.owned(RAYCLUSTERS, uid_of(job)))
    if phase == SUSPENDED:
        if not wants_rest or clusters:
            yield f"30: job {name} is suspended, wanted: {wants_rest}, has {clusters}"
    elif phase not in (*OVER, INVALID) and not _waits(scene, job):
        yield f"30: job {name} rests in {phase or 'no phase'}"
    removed = value_at(job, "spec", "shutdownAfterJobFinishes") is True
    if phase in OVER and removed and clusters:
        yield f"30: job {name} is over and still has {clusters}"
    if phase == COMPLETE and not text_at(job, "status", "jobStatus"):
        yield f"28: job {name} is complete, and nobody says how it ended"


def _waits(scene: Scene, job: Object) -> bool:
    """Whether the next step is its user's: one is asked for an id, or told what is in the way."""
    if text_at(job, "status", PHASE) == WAITING:
        return text_at(job, "spec", "submissionMode") == INTERACTIVE_MODE
    message = text_at(job, "status", "message")
    odd, phase = name_of(job) == SELDOM[JOB], text_at(job, "status", PHASE)
    if odd and phase == RUNNING and any(told in message for told in NOT_SUBMITTED):
        return True
    return any(told in message for told in IN_THE_WAY) or _waits_for_cluster(scene, job)


def _waits_for_cluster(scene: Scene, job: Object) -> bool:
    """Whether the cluster that the user selected is not there, or not ready."""
    wanted = text_at(job, "spec", "clusterSelector", CLUSTER)
    ready = any(
        name_of(one) == wanted and text_at(one, "status", "state") == "ready"
        for one in scene.nature.objects(RAYCLUSTERS)
    )
    return bool(wanted) and text_at(job, "status", PHASE) == INITIALIZING and not ready
