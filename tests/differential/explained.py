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
    apart: int | None = None
    """By how much KubeRay's number is larger."""
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
        return all(_matches(pattern, value) for pattern, value in pairs) and self._is_apart(one)

    def _is_apart(self, one: Difference) -> bool:
        if self.apart is None:
            return True
        both = isinstance(one.theirs, int) and isinstance(one.ours, int)
        return both and one.theirs - one.ours == self.apart


def _matches(pattern: str, value: Any) -> bool:
    text = value if isinstance(value, str) else repr(value)
    return re.fullmatch(pattern, text, re.DOTALL) is not None


def explanation_of(one: Difference) -> Explained | None:
    """Return the entry that explains a difference."""
    return next((each for each in EVERY if each.fits(one)), None)


NOBODY = "<absent>"
MARKS = "Created objects carry the annotations `heliograph.dev/act`"
VERSION = "They hold `heliograph-<version>`."
ZEROS = "Counts of zero are left out."
WHOLE = "A finalizer is added by writing the whole object"
STALE = "`rayClusterStatus` is that of the last pass."
EMPTY = "A status that is empty still has quantities of zero."
ONE_BY_ONE = "One `DeletedPod` for a whole suspension or Recreate"
BEGAN = "carry the generation at which they began"
LATE_TROUBLE = "Trouble with what is there, or gone, already is told as a Warning."
OURS_ALONE = "events(/joined)?"
WALLS = r"\['RayCluster', 'Normal', '(Created|Updated|Deleted)NetworkPolicy', .*"
TELLER = "Events about network policies come from `networkpolicy-controller`."
LEFTOVER = "A resumed RayService still has `RollbackInProgress` of its suspension."
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
        name="words of the waiting worker",
        place=r"pods/.*\[wait-gcs-ready\]\.args",
        theirs=".*ray health-check.*",
        ours=".*ray health-check.*",
        page="The script of `wait-gcs-ready`",
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
        ours="[23]",
        page="`observedGeneration` goes stale until something else changes.",
    ),
    Explained(
        name="generation after a finalizer",
        place=rf"{RAYS}\.metadata\.generation",
        apart=1,
        page=WHOLE,
    ),
    Explained(
        name="observed generation after a finalizer",
        place=r"ray(clusters|services)/[^.]+\.status(\..*)?\.observedGeneration",
        apart=1,
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
        place=OURS_ALONE,
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
        place=OURS_ALONE,
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
    Explained(
        name="policies told by a controller of their own",
        place="events",
        theirs=WALLS + "'networkpolicy-controller'\\]",
        ours=NOBODY,
        page=TELLER,
    ),
    Explained(
        name="policies told by the one decider",
        place=OURS_ALONE,
        theirs=NOBODY,
        ours=WALLS + "'raycluster-controller'\\]",
        page=TELLER,
    ),
    Explained(
        name="walls around what is refused",
        place="networkpolicies/.*",
        theirs="<there>",
        ours=NOBODY,
        story="cluster-wrong-walls",
        page="Policies are made for a RayCluster that validation refuses.",
    ),
    Explained(
        name="whose a serve service is",
        place=r"services/.*\.labels\.heliograph\.dev/rayservice",
        theirs=NOBODY,
        page="services of single clusters carry the label `heliograph.dev/rayservice`",
    ),
    Explained(
        name="certificates are waited for",
        place=rf"{OURS_ALONE}|rayclusters/[^.]+\.status|(secrets|services)/.*",
        theirs=NOBODY,
        story="sample-ray-cluster-mtls",
        page="Without cert-manager at start a cluster with TLS is refused",
    ),
    Explained(
        name="a run is told",
        place=OURS_ALONE,
        theirs=NOBODY,
        ours=r"\['RayCronJob', 'Normal', 'CreatedRayJob', .*",
        page="New: `CreatedRayJob`",
    ),
    Explained(
        name="a rollback that never was",
        place=r"rayservices/[^.]+\.status\.conditions\.\[RollbackInProgress\]",
        theirs=".*'SuspendComplete', 'status': 'False'.*",
        ours=NOBODY,
        step="resume",
        page=LEFTOVER,
    ),
    Explained(
        name="its place among the conditions",
        place=r"rayservices/[^.]+\.status\.conditions\.order",
        theirs=".*'RollbackInProgress'.*",
        step="resume",
        page=LEFTOVER,
    ),
    Explained(
        name="events of one reason",
        place="events/joined",
        theirs=NOBODY,
        page="Events of one reason about one object are joined",
    ),
)
