"""Rules about how a RayJob is submitted, and which cluster it runs on."""

from shared.resources.job_options import INTERACTIVE_MODE, SIDECAR_MODE
from shared.resources.labels import CLUSTER
from shared.resources.predicates import restart_policy
from shared.resources.rayjob import SUBMISSION_MODES, RayJobSpec
from shared.validation.findings import Problems
from shared.validation.rule import Rule

_PREFIX = "The RayJob spec is invalid: "
_SELECTOR = "spec.clusterSelector"
_MODES = ", ".join(SUBMISSION_MODES)
_UNRESTARTED = ("", "Never")

SUSPENDED_SELECTED = Rule(
    id="RayJob.suspend-selector",
    path="spec.suspend",
    text=f"{_PREFIX}the ClusterSelector mode doesn't support the suspend operation",
    hint="a chosen cluster is not the job's to delete: remove suspend",
)
NO_CLUSTER = Rule(
    id="RayJob.cluster",
    path="spec.rayClusterSpec",
    text=f"{_PREFIX}one of RayClusterSpec or ClusterSelector must be set",
    hint="describe a cluster in rayClusterSpec, or name one in clusterSelector",
)
SELECTOR_EMPTY = Rule(
    id="RayJob.selector-name",
    path=_SELECTOR,
    text="cluster name in ClusterSelector should not be empty",
    hint=f"write {CLUSTER}: and the name of a RayCluster",
)
SELECTOR_SIDECAR = Rule(
    id="RayJob.selector-sidecar",
    path=_SELECTOR,
    text="ClusterSelector is not supported in SidecarMode",
    hint="the submitter is a container of the head: use K8sJobMode or HTTPMode",
)
SELECTOR_BACKOFF = Rule(
    id="RayJob.selector-backoff",
    path="spec.backoffLimit",
    text=f"{_PREFIX}BackoffLimit is incompatible with ClusterSelector mode",
    hint="each attempt needs a new cluster: remove backoffLimit",
)
INTERACTIVE_BACKOFF = Rule(
    id="RayJob.interactive-backoff",
    path="spec.backoffLimit",
    text=f"{_PREFIX}BackoffLimit is incompatible with InteractiveMode",
    hint="a user submits, so nothing can be tried again: remove backoffLimit",
)
SIDECAR_TEMPLATE = Rule(
    id="RayJob.sidecar-template",
    path="spec.submitterPodTemplate",
    text="Currently, SidecarMode doesn't support SubmitterPodTemplate",
    hint="remove submitterPodTemplate, or use K8sJobMode",
)
SIDECAR_CONFIG = Rule(
    id="RayJob.sidecar-config",
    path="spec.submitterConfig",
    text="Currently, SidecarMode doesn't support SubmitterConfig",
    hint="remove submitterConfig, or use K8sJobMode",
)
SIDECAR_RESTARTS = Rule(
    id="RayJob.sidecar-restart-policy",
    path="spec.rayClusterSpec.headGroupSpec.template.spec.restartPolicy",
    text="restartPolicy for head Pod should be Never or unset when using SidecarMode",
    hint="remove restartPolicy: a restarted head would submit again",
)
MODE_UNKNOWN = Rule(
    id="RayJob.submission-mode",
    path="spec.submissionMode",
    text=f"{_PREFIX}submissionMode {{mode}} is unknown, valid options are {_MODES}",
    hint="nothing would ever be submitted: write one of the modes",
    own=True,
)


def submission_problems(spec: RayJobSpec) -> Problems:
    """Check the cluster, then the mode."""
    if spec.selected_cluster is not None:
        yield from _selector_rules(spec, spec.selected_cluster)
    elif spec.ray_cluster_spec is None:
        yield NO_CLUSTER.found()
    if spec.submission_mode == INTERACTIVE_MODE and (spec.backoff_limit or 0) > 0:
        yield INTERACTIVE_BACKOFF.found()
    if spec.submission_mode == SIDECAR_MODE:
        yield from _sidecar_rules(spec)


def mode_problems(spec: RayJobSpec) -> Problems:
    """Check the mode itself; one that was left empty was read as the default."""
    if spec.submission_mode not in SUBMISSION_MODES:
        yield MODE_UNKNOWN.found(mode=spec.submission_mode)


def _selector_rules(spec: RayJobSpec, name: str) -> Problems:
    if spec.suspend:
        yield SUSPENDED_SELECTED.found()
    if not name:
        yield SELECTOR_EMPTY.found()
    if spec.submission_mode == SIDECAR_MODE:
        yield SELECTOR_SIDECAR.found()
    if (spec.backoff_limit or 0) > 0:
        yield SELECTOR_BACKOFF.found()


def _sidecar_rules(spec: RayJobSpec) -> Problems:
    if spec.submitter_pod_template is not None:
        yield SIDECAR_TEMPLATE.found()
    if spec.submitter_config is not None:
        yield SIDECAR_CONFIG.found()
    cluster = spec.ray_cluster_spec
    if cluster is not None and restart_policy(cluster.head_group_spec) not in _UNRESTARTED:
        yield SIDECAR_RESTARTS.found()
