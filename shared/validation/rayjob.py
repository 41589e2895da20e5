"""Everything that can be wrong with a RayJob, in the order in which users are told.

As for a RayCluster (`shared.validation.raycluster`): all problems at once, the first failure first.
`spec_problems` is for RayCronJob, whose template is the spec of a RayJob.
"""

from collections.abc import Mapping
from itertools import chain

from shared.kernel.features import Features
from shared.kernel.manifests import text_at
from shared.resources.job_options import INTERACTIVE_MODE
from shared.resources.problem import Problem
from shared.resources.rayjob import RayJob, RayJobSpec
from shared.validation.findings import Problems
from shared.validation.held_cluster import cluster_problems, moved
from shared.validation.job_deletion import deletion_problems
from shared.validation.job_submission import mode_problems, submission_problems
from shared.validation.metadata import name_problems, name_rules
from shared.validation.rule import Layer, Rule
from shared.validation.runtime_env import runtime_env_problems

NAME_LIMIT = 47
_PREFIX = "The RayJob spec is invalid: "

NAME_LENGTH, NAME_LETTERS = name_rules("RayJob", NAME_LIMIT, "The RayJob metadata is invalid: ")
SUSPENDED_KEPT = Rule(
    id="RayJob.suspend-shutdown",
    path="spec.suspend",
    text=(
        f"{_PREFIX}a RayJob with shutdownAfterJobFinishes set to false is not allowed to be "
        "suspended"
    ),
    hint="set shutdownAfterJobFinishes: true: suspending deletes the cluster",
)
TTL_NEGATIVE = Rule(
    id="RayJob.ttl",
    path="spec.ttlSecondsAfterFinished",
    text=f"{_PREFIX}TTLSecondsAfterFinished must be a non-negative integer",
    hint="write 0 or more",
)
TTL_KEPT = Rule(
    id="RayJob.ttl-shutdown",
    path="spec.ttlSecondsAfterFinished",
    text=(
        f"{_PREFIX}a RayJob with shutdownAfterJobFinishes set to false cannot have "
        "TTLSecondsAfterFinished"
    ),
    hint="set shutdownAfterJobFinishes: true, or remove ttlSecondsAfterFinished",
)
KUBERNETES_AUTH = Rule(
    id="RayJob.k8s-auth",
    path="spec.rayClusterSpec.authOptions.enableK8sTokenAuth",
    text=f"{_PREFIX}K8s token auth mode is currently not supported for RayJob",
    hint="remove enableK8sTokenAuth; mode: token works",
)
DEADLINE = Rule(
    id="RayJob.active-deadline",
    path="spec.activeDeadlineSeconds",
    text=f"{_PREFIX}activeDeadlineSeconds must be a positive integer",
    hint="write 1 or more, or leave it out",
)
PRE_RUNNING_DEADLINE = Rule(
    id="RayJob.pre-running-deadline",
    path="spec.preRunningDeadlineSeconds",
    text=f"{_PREFIX}preRunningDeadlineSeconds must be a positive integer",
    hint="write 1 or more, or leave it out",
)
BACKOFF_NEGATIVE = Rule(
    id="RayJob.backoff",
    path="spec.backoffLimit",
    text=f"{_PREFIX}backoffLimit must be a positive integer",
    hint="write 0 or more",
)
WAITING = Rule(
    id="RayJob.waiting",
    layer=Layer.STATUS,
    path="status.jobDeploymentStatus",
    text=(
        "The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` when SubmissionMode "
        "is not InteractiveMode"
    ),
    hint="only in InteractiveMode a job waits for its user: set submissionMode back",
)


def validate(job: RayJob, features: Features) -> tuple[Problem, ...]:
    """Return every problem of what the user wrote; none means the job can run."""
    return tuple(
        chain(
            name_problems(job.name, NAME_LIMIT, NAME_LENGTH, NAME_LETTERS),
            spec_problems(job.spec, job.annotations, features),
        )
    )


def spec_problems(spec: RayJobSpec, annotations: Mapping[str, str], features: Features) -> Problems:
    """Check the spec, wherever it stands."""
    return chain(
        _shutdown_rules(spec),
        deletion_problems(spec, features),
        submission_problems(spec),
        _cluster_rules(spec, annotations, features),
        runtime_env_problems(spec.runtime_env_yaml),
        _number_rules(spec),
        mode_problems(spec),
    )


def status_problems(job: RayJob) -> Problems:
    """Check the status, which no user writes: `validate` does not ask for it."""
    waiting = text_at(job.status, "jobDeploymentStatus") == "Waiting"
    if waiting and job.spec.submission_mode != INTERACTIVE_MODE:
        yield WAITING.found()


def told(problem: Problem, namespace: str, name: str) -> str:
    """Return the text of the Warning event that tells a user of the problem."""
    return f"{namespace}/{name}: {problem.message if problem.rule else problem}"


def _shutdown_rules(spec: RayJobSpec) -> Problems:
    kept, ttl = not spec.shutdown_after_job_finishes, spec.ttl_seconds_after_finished
    if spec.suspend and kept:
        yield SUSPENDED_KEPT.found()
    if ttl < 0:
        yield TTL_NEGATIVE.found()
    if ttl > 0 and kept:
        yield TTL_KEPT.found()


def _cluster_rules(
    spec: RayJobSpec, annotations: Mapping[str, str], features: Features
) -> Problems:
    cluster = spec.ray_cluster_spec
    if cluster is None:
        return
    options = cluster.auth_options
    if options is not None and options.enable_k8s_token_auth:
        yield KUBERNETES_AUTH.found()
    yield from moved(
        cluster_problems(cluster, annotations, features, "RayJob"),
        to="spec.rayClusterSpec",
        prefix=_PREFIX,
        reason=KUBERNETES_AUTH.reason,
    )


def _number_rules(spec: RayJobSpec) -> Problems:
    for rule, seconds in (
        (DEADLINE, spec.active_deadline_seconds),
        (PRE_RUNNING_DEADLINE, spec.pre_running_deadline_seconds),
    ):
        if seconds is not None and seconds <= 0:
            yield rule.found()
    if spec.backoff_limit is not None and spec.backoff_limit < 0:
        yield BACKOFF_NEGATIVE.found()
