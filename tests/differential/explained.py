"""Differences that are known, each with its reason in `docs/differences.md`. Pure.

Invariant: an entry is as narrow as its reason, and points to words that stand on that page; a
difference that no entry fits is a failure.
"""

import re
from typing import Any

from msgspec import Struct

from tests.differential.comparing import Difference


class Explained(Struct, frozen=True, kw_only=True):
    """One kind of difference: where, what KubeRay has, what we have, and where it says why."""

    name: str
    place: str
    theirs: str = ".*"
    ours: str = ".*"
    step: str = ".*"
    story: str = ".*"
    page: str
    """A piece of a sentence of `docs/differences.md`."""

    def fits(self, one: Difference) -> bool:
        """Tell whether this explains a difference."""
        pairs = (
            (self.place, one.place),
            (self.theirs, one.theirs),
            (self.ours, one.ours),
            (self.step, one.step),
            (self.story, one.story),
        )
        return all(_matches(pattern, value) for pattern, value in pairs)


def _matches(pattern: str, value: Any) -> bool:
    text = value if isinstance(value, str) else repr(value)
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def explanation_of(one: Difference) -> Explained | None:
    """Return the entry that explains a difference."""
    return next((each for each in EVERY if each.fits(one)), None)


NOBODY = "<absent>"
MARKS = "Created objects carry the annotations `heliograph.dev/act`"
VERSION = "They hold `heliograph-<version>`."
NEWER = "What 1.7 changed"
ZEROS = "Counts of zero are left out."
WHOLE = "A finalizer is added by writing the whole object"
STALE = "`rayClusterStatus` is that of the last pass."
EMPTY = "A status that is empty still has quantities of zero."
ONE_BY_ONE = "One `DeletedPod` for a whole suspension or Recreate"
BEGAN = "carry the generation at which they began"
LATE_TROUBLE = "Trouble with what is there, or gone, already is told as a Warning."
RAYS = "ray(clusters|jobs|services|cronjobs)/[^.]+"

EVERY: tuple[Explained, ...] = (
    Explained(
        name="marks",
        place=r".*\.annotations\.heliograph\.dev/(act|rule)",
        theirs=NOBODY,
        page=MARKS,
    ),
    Explained(
        name="version on the head",
        place=r"pods/.*\.annotations\.ray\.io/kuberay-version",
        ours="heliograph-.*",
        page=VERSION,
    ),
    Explained(
        name="version in the usage tag",
        place=r"pods/.*\[RAY_USAGE_STATS_EXTRA_TAGS\]\.value",
        ours=".*kuberay_version=heliograph-.*",
        page=VERSION,
    ),
    Explained(
        name="version on clusters of others",
        place=r"rayclusters/.*\.(annotations|labels)\.ray\.io/kuberay-version",
        ours="heliograph-.*",
        page=VERSION,
    ),
    Explained(
        name="limit of open files",
        place=r"pods/.*\.args",
        theirs=r".*ulimit -n 65536; ray start.*",
        ours=r".*ulimit -n \$\{RAY_START_ULIMIT_OPEN_FILES:-65536\}; ray start.*",
        page=NEWER,
    ),
    Explained(
        name="words of the waiting worker",
        place=r"pods/.*\[wait-gcs-ready\]\.args",
        theirs=".*ray health-check.*",
        ours=".*ray health-check.*",
        page="The script of `wait-gcs-ready`",
    ),
    Explained(
        name="start command of the autoscaler",
        place=r"pods/.*\.env\.(\[KUBERAY_GEN_AUTOSCALER_START_CMD\]|order)",
        ours=".*KUBERAY_GEN_AUTOSCALER_START_CMD.*",
        page=NEWER,
    ),
    Explained(
        name="path of the ingress",
        place=r"ingresses/.*\.spec\.rules",
        theirs=r".*/\(\.\*\)', 'pathType': 'Exact'.*",
        ours=".*'path': '/', 'pathType': 'Prefix'.*",
        page=NEWER,
    ),
    Explained(
        name="labels of submitters",
        place=r"(jobs/.*\.template|pods/[^.]+)\.metadata\.labels\."
        r"(app\.kubernetes\.io/created-by|ray\.io/originated-from-(cr-name|crd))",
        theirs=NOBODY,
        page=NEWER,
    ),
    Explained(
        name="submitters wait for Ray",
        place=r"(jobs|pods)/.*\.args",
        theirs=r"\[.if ! ray job status .*",
        ours=r"\[.until python -c .*gcs_healthz.*",
        page=NEWER,
    ),
    Explained(
        name="counts of zero",
        place=rf"{RAYS}\.status.*(Replicas|succeeded|failed|numServeEndpoints)",
        theirs=NOBODY,
        ours="0",
        page=ZEROS,
    ),
    Explained(
        name="defaults written with a finalizer",
        place=rf"{RAYS}\.spec\..*\.targetPort",
        theirs="0",
        ours=NOBODY,
        page=WHOLE,
    ),
    Explained(
        name="what is false is dropped with a finalizer",
        place=r"rayjobs/[^.]+\.spec\.(shutdownAfterJobFinishes|suspend)",
        theirs=NOBODY,
        ours="False",
        page=WHOLE,
    ),
    Explained(
        name="a stale observed generation",
        place=r"rayclusters/[^.]+\.status\.observedGeneration",
        theirs="1",
        ours="2",
        page="`observedGeneration` goes stale until something else changes.",
    ),
    Explained(
        name="generation after a finalizer",
        place=rf"{RAYS}\.metadata\.generation",
        theirs="[23456]",
        ours="[1234]",
        page=WHOLE,
    ),
    Explained(
        name="observed generation after a finalizer",
        place=r"ray(clusters|services)/[^.]+\.status(\..*)?\.observedGeneration",
        theirs="[23456]",
        ours="[1234]",
        page=WHOLE,
    ),
    Explained(
        name="a RayJob's observed generation",
        place=r"rayjobs/[^.]+\.status\.observedGeneration",
        theirs=NOBODY,
        ours="[1234]",
        page="`observedGeneration` is never set.",
    ),
    Explained(
        name="pods deleted at once",
        place="events",
        theirs=r"\['RayCluster', 'Normal', 'DeletedPod', 'Deleted (all )?Pods for RayCluster .*",
        ours=NOBODY,
        page=ONE_BY_ONE,
    ),
    Explained(
        name="each deleted pod",
        place="events",
        theirs=NOBODY,
        ours=r"\['RayCluster', 'Normal', 'DeletedPod', 'Deleted Pod \S+<drawn> of RayCluster .*",
        page=ONE_BY_ONE,
    ),
    Explained(
        name="pods of a resting group",
        place="events",
        theirs=r"\['RayCluster', 'Normal', 'DeletedWorkerPod', 'Deleted all pods for suspended .*",
        ours=NOBODY,
        page=ONE_BY_ONE,
    ),
    Explained(
        name="each pod of a resting group",
        place="events",
        theirs=NOBODY,
        ours=r"\['RayCluster', 'Normal', 'DeletedWorkerPod', 'Deleted Pod .* of suspended .*",
        page=ONE_BY_ONE,
    ),
    Explained(
        name="where suspending began",
        place=r".*\.conditions\.\[RayClusterSuspend(ed|ing)\]\.observedGeneration",
        theirs=NOBODY,
        page=BEGAN,
    ),
    Explained(
        name="how long provisioning took",
        place="metrics",
        theirs="kuberay_cluster_provisioned_duration_seconds.*",
        ours=NOBODY,
        page="`kuberay_cluster_provisioned_duration_seconds` is set when it happens",
    ),
    Explained(
        name="a cluster's status in that of its maker",
        place=r"ray(jobs|services)/[^.]+\.status\.(\w+\.)?rayClusterStatus\..*",
        page=STALE,
    ),
    Explained(
        name="statuses of nothing",
        place=r"ray(jobs|services)/[^.]+\.status\.(\w+\.)?"
        r"(rayClusterStatus|pendingServiceStatus|activeServiceStatus)",
        theirs=r"\{('rayClusterStatus': \{)?'desiredCPU': '0', 'desiredGPU': '0', .*",
        ours=NOBODY,
        page=EMPTY,
    ),
    Explained(
        name="a path before the sentence",
        place=r"rayjobs/[^.]+\.status\.message",
        theirs="The RayJob spec is invalid: .*",
        ours=r"spec\.\S+: The RayJob spec is invalid: .*",
        page="`status.message` of an invalid RayJob is the sentence.",
    ),
    Explained(
        name="which of equal workers stays",
        place=r"pods/.*\.labels\.ray\.io/worker-group-replica-index",
        step="shrink",
        page="Scaling down takes pods in the order of the list.",
    ),
    Explained(
        name="a path before the sentence of a RayService",
        place=r"rayservices/[^.]+\.status\.conditions\.\[Ready\]\.message",
        theirs="The RayService spec is invalid: .*",
        ours=r"spec\.\S+: The RayService spec is invalid: .*",
        page="`Ready` with `ValidationFailed` has the sentence",
    ),
    Explained(
        name="an invalid RayService's observed generation",
        place=r"rayservices/[^.]+\.status\.observedGeneration",
        theirs=NOBODY,
        story="serve-wrong",
        page="`Ready` with `ValidationFailed` has the sentence",
    ),
    Explained(
        name="no finalizer on what is invalid",
        place=r"rayservices/[^.]+\.metadata\.finalizers",
        ours=NOBODY,
        story="serve-wrong",
        page="The finalizer comes before the check of the spec.",
    ),
    Explained(
        name="an invalid RayCluster says so",
        place=r"rayclusters/[^.]+\.status",
        theirs=NOBODY,
        ours=r".*'SpecInvalid'.*",
        page="the condition `SpecInvalid` with the path and the sentence",
    ),
    Explained(
        name="a head that goes is deleted once more",
        place="events",
        theirs=r"\['RayCluster', 'Normal', 'DeletedHeadPod', .*; Pod status: Failed; .*",
        ours=NOBODY,
        story="cluster-losing",
        page="A head that fails on its way out is deleted once more",
    ),
    Explained(
        name="trouble with what is there or gone",
        place="events",
        theirs=r".*'Warning', 'Failed\w+', .*"
        r"(already exists|not found|the object has been modified).*",
        ours=NOBODY,
        page=LATE_TROUBLE,
    ),
)
