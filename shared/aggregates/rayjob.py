"""A view read as a RayJob: its cluster, whoever submits, and what the dashboard said.

A cluster is the job's own, or one that the user selected and that is looked at without owning it.
Submitters differ by mode: a Kubernetes Job, or a container beside the head; both end in the same
`Submitter`. An answer of the dashboard counts only if it answers what the last act asked.
"""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import owned_by
from shared.aggregates.view import View
from shared.events.objects import ChildSeen, Container, PodSeen, ResourceSeen, ServiceSeen
from shared.events.told import JobTold, Looked, Want, WantedJob
from shared.kernel.instants import print_instant, read_instant
from shared.kernel.manifests import entries_at, text_at

NEW = ""
INITIALIZING = "Initializing"
WAITING = "Waiting"
RUNNING = "Running"
SUSPENDING = "Suspending"
SUSPENDED = "Suspended"
RETRYING = "Retrying"
COMPLETE = "Complete"
FAILED = "Failed"
INVALID = "ValidationFailed"
PHASES = (
    *(NEW, INITIALIZING, WAITING, RUNNING, SUSPENDING, SUSPENDED),
    *(RETRYING, COMPLETE, FAILED, INVALID),
)
OVER = frozenset({COMPLETE, FAILED})
"""Phases that a RayJob does not leave."""

SUCCEEDED, APP_FAILED, STOPPED = "SUCCEEDED", "FAILED", "STOPPED"
ENDED = frozenset({SUCCEEDED, APP_FAILED, STOPPED})
"""What Ray calls a job that has ended."""

FINALIZER = "ray.io/rayjob-finalizer"
"""Ours: its Ray job is stopped before it goes."""
JOB, CLUSTER, HEAD = "job", "cluster", "head"
"""What may be wanted: the Ray job, a selected cluster, the head with a submitter in it."""
SUBMITTER = "ray-job-submitter"
"""The container that submits."""

ACTIVE_DEADLINE = "active-deadline"
PRE_RUNNING_DEADLINE = "pre-running-deadline"
TRANSITION_GRACE = "transition-grace"
STATUS_CHECK = "status-check"
SUBMISSION = "submission"
SUBMITTER_FINISH = "submitter-finish"
EXPIRY = "expiry"
"""Timers of a RayJob. What they end is told in `services.status.conditions.rayjob`."""


class Submitter(Struct, frozen=True, kw_only=True):
    """Whoever submits: whether it gave up, in whose words, and when it ended."""

    failed: bool = False
    because: str = ""
    finished_at: datetime | None = None


class RayJobState(Struct, frozen=True, kw_only=True):
    """What is there of a RayJob, and what is on its way."""

    phase: str
    word: str
    """The phase as one comparable word, see `shared.aggregates.phases`."""
    cluster_name: str
    cluster: ResourceSeen | None
    """The cluster it runs on, if seen and not known to be gone."""
    submitter_job: ChildSeen | None
    service: ServiceSeen | None
    heads: tuple[PodSeen, ...] | None
    """The heads of its cluster; None if nobody has looked for the present want."""
    selected: bool | None
    """Whether the selected cluster is there; None if nobody has looked, or none is selected."""
    job: JobTold | None
    """The answer to the present want."""
    job_at: datetime | None
    """When that answer came."""
    unsettled: frozenset[tuple[str, str]]
    """What was asked for, to come or to go, and is not seen yet."""

    @property
    def emptied(self) -> bool:
        """Whether neither cluster nor submitter is there or on its way."""
        left = {kind for kind, _ in self.unsettled} & {"raycluster", "job"}
        return self.cluster is None and self.submitter_job is None and not left


def rayjob_state(view: View) -> RayJobState:
    """Read a view whose resource exists as a RayJob."""
    uid = view.own.meta.uid if view.own else ""
    gone = {(one.kind, one.name) for one in view.expectations if one.what == "gone"}
    name = text_at(view.status, "rayClusterName")
    own = view.children.get(("raycluster", name))
    owned = isinstance(own, ResourceSeen) and owned_by(own.meta, uid)
    looked = _answer(view, CLUSTER)
    heads = _answer(view, HEAD)
    seen = looked.objects[0] if looked is not None and looked.objects else None
    cluster = own if owned and ("raycluster", name) not in gone else seen
    submitter = view.children.get(("job", view.key.name))
    job = view.told.get(JOB)
    wanted = want_of(view, JOB)
    answers = job is not None and wanted is not None and _answers(job.body, wanted)
    return RayJobState(
        phase=text_at(view.status, "jobDeploymentStatus"),
        word=phase_of(view.status),
        cluster_name=name,
        cluster=cluster if isinstance(cluster, ResourceSeen) else None,
        submitter_job=submitter
        if isinstance(submitter, ChildSeen)
        and owned_by(submitter.meta, uid)
        and ("job", view.key.name) not in gone
        else None,
        service=_service(view, uid),
        heads=tuple(one for one in heads.objects if isinstance(one, PodSeen)) if heads else None,
        selected=None if looked is None else bool(looked.objects),
        job=job.body if job and answers and isinstance(job.body, JobTold) else None,
        job_at=job.at if job and answers else None,
        unsettled=frozenset(
            (one.kind, one.name) for one in view.expectations if one.what != "gone"
        ),
    )


def want_of(view: View, name: str) -> Want | None:
    """Return what the last act wants to know under this name."""
    wants = view.act.wants if view.act else ()
    return next((want for want in wants if want.name == name), None)


def wanted_job(view: View) -> WantedJob | None:
    """Return the Ray job that the last act asks about."""
    want = want_of(view, JOB)
    return want if isinstance(want, WantedJob) else None


def job_submitter(job: ChildSeen | None) -> Submitter:
    """Read the Kubernetes Job that submits."""
    conditions = {
        text_at(one, "type"): one
        for one in entries_at(job.status if job else {}, "conditions")
        if text_at(one, "status") == "True"
    }
    ended = conditions.get("Failed") or conditions.get("Complete")
    failed = conditions.get("Failed")
    told = (
        f"Job submission has failed. Reason: {text_at(failed, 'reason')}. "
        f"Message: {text_at(failed, 'message')}"
        if failed
        else ""
    )
    return Submitter(
        failed=failed is not None,
        because=told,
        finished_at=read_instant(text_at(ended, "lastTransitionTime")) if ended else None,
    )


def end_marks(finished_at: datetime | None, *, late: bool) -> tuple[str, ...]:
    """Return what acts carry that know of a submitter's end, and of the time after it being over.

    The mark and a new moment from which on answers count come in the same act: so an answer that
    counts beside the mark was asked for after the end was known, whatever any clock says.
    """
    if finished_at is None:
        return ()
    end = f"submitter-ended/{print_instant(finished_at)}"
    return (end, f"{end}/late") if late else (end,)


def sidecar_submitter(head: PodSeen, *, restarts: bool) -> Submitter:
    """Read the container that submits from beside the head."""
    container = next((one for one in head.containers if one.name == SUBMITTER), None)
    if container is None:
        return Submitter()
    failed, because = (
        _worn_out(container) if restarts else (_crashed(container), _crash_words(container))
    )
    finished = container.finished_at if container.state == "terminated" else None
    return Submitter(failed=failed, because=because if failed else "", finished_at=finished)


_RESTARTS_MAX = 2


def _crashed(container: Container) -> bool:
    return container.state == "terminated" and container.exit_code not in (None, 0)


def _crash_words(container: Container) -> str:
    return (
        f"Ray head pod container {SUBMITTER} terminated with exit code "
        f"{container.exit_code}: {container.reason}"
    )


def _worn_out(container: Container) -> tuple[bool, str]:
    well = container.state == "terminated" and container.exit_code == 0
    failed = container.crashed_before and not well and container.restarts >= _RESTARTS_MAX
    words = (
        f"Ray head pod submitter container {SUBMITTER} terminated after exceeding the maximum "
        "restart count"
    )
    return failed, words


def _answer(view: View, name: str) -> Looked | None:
    heard, want = view.told.get(name), want_of(view, name)
    if heard is None or want is None or not isinstance(heard.body, Looked):
        return None
    return heard.body if heard.body.since == want.since else None


def _answers(body: object, want: Want) -> bool:
    return (
        isinstance(body, JobTold)
        and isinstance(want, WantedJob)
        and (body.job_id, body.since) == (want.job_id, want.since)
    )


def _service(view: View, uid: str) -> ServiceSeen | None:
    service = view.children.get(("service", head_service_name(view.key.name)))
    owned = isinstance(service, ServiceSeen) and owned_by(service.meta, uid)
    return service if owned and isinstance(service, ServiceSeen) else None


def head_service_name(rayjob: str) -> str:
    """Return the name of the service by which people find the head of a RayJob's cluster."""
    return f"{rayjob}-head-svc"


def moment_at(status: Mapping[str, object], *path: str) -> datetime | None:
    """Return a moment of a status; None if it is absent or no moment."""
    return read_instant(text_at(status, *path))


def end_is_told(view: View) -> bool:
    """Whether everybody was told how this very job ended: before that nothing of it may go."""
    uid = view.own.meta.uid if view.own else ""
    if view.life is None or view.life.uid != uid:
        return False
    phase = text_at(view.status, "jobDeploymentStatus")
    return text_at(view.life.body.data, "state", "phase") == phase
