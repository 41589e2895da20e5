"""What a user may ask of a RayJob or a RayCronJob, and what they get wrong there.

Features and mistakes change a manifest in place. A schedule and a time zone are a RayCronJob's own;
of its template everything holds that holds of a RayJob.
"""

from collections.abc import Mapping
from typing import Any

from tests.simulation.features.clusters import Feature, Manifest
from tests.simulation.scripts import FAILS, SUCCEEDS, TAKES_LONG

INTERACTIVE = "InteractiveMode"
SUBMITS, SUBMITS_NOTHING, SUBMITS_BADLY = "example.com/submits", "nothing", "badly"
"""By this label a submitter's pod ends soon, well or badly."""


def _set(**fields: object) -> Feature:
    return lambda manifest: manifest["spec"].update(fields)


def _cluster(**fields: object) -> Feature:
    def change(manifest: Manifest) -> None:
        manifest["spec"].setdefault("rayClusterSpec", {}).update(fields)

    return change


def _both(*changes: Feature) -> Feature:
    return lambda manifest: [change(manifest) for change in changes]


_KEPT = _set(shutdownAfterJobFinishes=False, ttlSecondsAfterFinished=0, entrypoint=SUCCEEDS)
"""A job that ends well, and leaves it to its strategy what goes."""


def _rule(policy: str, ttl: int = 0, **when: str) -> dict[str, object]:
    condition = {**(when or {"jobStatus": "SUCCEEDED"}), "ttlSeconds": ttl}
    return {"policy": policy, "condition": condition}


def _rules(*rules: dict[str, object]) -> Feature:
    return _both(_KEPT, _set(deletionStrategy={"deletionRules": list(rules)}))


def _sides(success: str | None, failure: str | None) -> Feature:
    sides = {"onSuccess": success, "onFailure": failure}
    strategy = {name: {"policy": policy} if policy else {} for name, policy in sides.items()}
    return _both(_KEPT, _set(deletionStrategy=strategy))


def _restarting_head(manifest: Manifest) -> None:
    """Change the head's template, where another mistake has left one."""
    head: Any = manifest["spec"].get("rayClusterSpec", {}).get("headGroupSpec")
    if head is not None:
        head["template"]["spec"]["restartPolicy"] = "Always"


def _submitter(command: list[str], *, submits: str = "", beside: bool = False) -> Feature:
    """Let a pod of the user's submit, by a command of theirs, and perhaps somebody live beside."""
    containers = [{"name": "mine", "image": "x", "command": command}]
    if beside:
        containers.append({"name": "beside", "image": "x"})
    meta = {"metadata": {"labels": {SUBMITS: submits}}} if submits else {}
    template = {**meta, "spec": {"restartPolicy": "Never", "containers": containers}}
    return _set(
        submissionMode="K8sJobMode", submitterPodTemplate=template, backoffLimit=0, suspend=False
    )


def _waiting(entrypoint: str) -> list[str]:
    return ["ray", "job", "submit", "--submission-id", "mine", "--", *entrypoint.split()]


def _without_waiting(entrypoint: str) -> list[str]:
    return ["ray", "job", "submit", "--no-wait", *_waiting(entrypoint)[3:]]


_MINE = _set(jobId="mine")
_TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "mine", "image": "x"}]}}
FEATURES: Mapping[str, Feature] = {
    "environment": _set(
        runtimeEnvYAML='env_vars:\n  A: "<b> & c"\n  B: "\\u0001\\u200b"\n',
        metadata={"team": "red"},
        entrypointNumCpus=1,
        entrypointNumGpus=0.5,
        entrypointResources='{"fruit": 1}',
    ),
    "template": _both(
        _set(submissionMode="K8sJobMode", submitterPodTemplate=_TEMPLATE),
        _set(submitterConfig={"backoffLimit": 1}),
    ),
    "named": _set(jobId="mine"),
    "hurried": _set(preRunningDeadlineSeconds=2),
    "patient": _set(preRunningDeadlineSeconds=600, activeDeadlineSeconds=900),
    "rules": _rules(
        _rule("DeleteWorkers"),
        _rule("DeleteCluster", 5),
        _rule("DeleteSelf", 1, jobStatus="FAILED"),
    ),
    "rules of the end": _both(
        _rules(_rule("DeleteCluster", 2, jobDeploymentStatus="Failed"), _rule("DeleteNone")),
        _set(entrypoint=FAILS),
    ),
    "workers go": _rules(_rule("DeleteWorkers", 3)),
    "sides": _sides("DeleteCluster", "DeleteWorkers"),
    "other sides": _sides("DeleteSelf", "DeleteNone"),
    "interactive": _set(submissionMode=INTERACTIVE, backoffLimit=0),
    "odd resources": _set(submissionMode="HTTPMode", entrypointResources="[1]"),
    "no resources": _set(submissionMode="HTTPMode", entrypointResources="nonsense"),
    "wrong resources": _set(submissionMode="HTTPMode", entrypointResources='{"a": "b", "c": true}'),
    "old metadata": _both(
        _set(submissionMode="K8sJobMode", metadata={"a": "b"}), _cluster(rayVersion="2.3.0")
    ),
    "token": _both(
        _set(submissionMode="K8sJobMode"),
        _cluster(rayVersion="2.52.0", authOptions={"mode": "token"}),
    ),
    "gang": lambda manifest: manifest["metadata"].update(
        labels={"ray.io/gang-scheduling-enabled": "true", "yunikorn.apache.org/queue": "root.mine"}
    ),
    "resting": _set(suspend=True, shutdownAfterJobFinishes=True),
    "retried": _set(entrypoint=FAILS, backoffLimit=1),
}
SUBMITTERS: Mapping[str, Feature] = {
    "submits nothing": _submitter(["sleep", "infinity"]),
    "ends without a word": _submitter(["true"], submits=SUBMITS_NOTHING),
    "fails without a word": _submitter(["false"], submits=SUBMITS_BADLY),
    "does not wait": _both(_submitter(_without_waiting(TAKES_LONG)), _MINE),
    "does not wait for failure": _both(_submitter(_without_waiting(FAILS)), _MINE),
    "never ends": _both(_submitter(_waiting(SUCCEEDS), beside=True), _MINE),
    "never ends after failure": _both(_submitter(_waiting(FAILS), beside=True), _MINE),
}
"""What else may run where a job should be submitted."""
MISTAKES: Mapping[str, Feature] = {
    "rests and stays": _set(suspend=True, shutdownAfterJobFinishes=False),
    "negative ttl": _set(ttlSecondsAfterFinished=-1),
    "ttl and stays": _set(ttlSecondsAfterFinished=5, shutdownAfterJobFinishes=False),
    "rules and shutdown": _both(_rules(_rule("DeleteSelf")), _set(shutdownAfterJobFinishes=True)),
    "no policy": _sides(None, "DeleteCluster"),
    "none and shutdown": _both(
        _sides("DeleteNone", "DeleteCluster"), _set(shutdownAfterJobFinishes=True)
    ),
    "rules scaled": _both(_rules(_rule("DeleteWorkers")), _cluster(enableInTreeAutoscaling=True)),
    "sides scaled": _both(
        _sides("DeleteWorkers", "DeleteNone"), _cluster(enableInTreeAutoscaling=True)
    ),
    "twice": _rules(_rule("DeleteSelf"), _rule("DeleteSelf", 1)),
    "backwards": _rules(_rule("DeleteWorkers", 9), _rule("DeleteCluster", 5)),
    "chosen rules": _both(
        _rules(_rule("DeleteCluster")), _set(clusterSelector={"ray.io/cluster": "nobody"})
    ),
    "chosen sides": _both(
        _sides("DeleteCluster", "DeleteNone"),
        _set(clusterSelector={"ray.io/cluster": "nobody"}),
    ),
    "chosen nobody": _set(
        clusterSelector={"ray.io/cluster": ""},
        suspend=True,
        backoffLimit=1,
        submissionMode="SidecarMode",
        shutdownAfterJobFinishes=True,
    ),
    "no cluster": lambda manifest: manifest["spec"].pop("rayClusterSpec", None),
    "interactive again": _set(submissionMode=INTERACTIVE, backoffLimit=1),
    "sidecar template": _both(
        _set(submissionMode="SidecarMode", submitterPodTemplate=_TEMPLATE),
        _set(submitterConfig={"backoffLimit": 1}),
        _restarting_head,
    ),
    "sidecar restarts": _both(_set(submissionMode="SidecarMode"), _restarting_head),
    "unknown mode": _set(submissionMode="Sideways"),
    "odd environment": _set(runtimeEnvYAML="a: ["),
    "listed environment": _set(runtimeEnvYAML="- a"),
    "deadlines": _set(activeDeadlineSeconds=0, backoffLimit=-1),
    "kubernetes token": _cluster(authOptions={"mode": "token", "enableK8sTokenAuth": True}),
    "strategy": _cluster(upgradeStrategy={"type": "Recreate"}),
}
UNCHECKED: Mapping[str, Feature] = {
    "no rules": _set(deletionStrategy={"deletionRules": []}),
    "no strategy": _set(deletionStrategy={}),
    "both ways": _set(
        shutdownAfterJobFinishes=False,
        ttlSecondsAfterFinished=0,
        deletionStrategy={"onSuccess": {}, "deletionRules": [_rule("DeleteSelf")]},
    ),
    "one side": _set(
        shutdownAfterJobFinishes=False,
        ttlSecondsAfterFinished=0,
        deletionStrategy={"onSuccess": {"policy": "DeleteSelf"}},
    ),
    "odd conditions": _rules(
        {"policy": "DeleteSelf", "condition": {"ttlSeconds": -1}},
        _rule("DeleteSelf", jobStatus="FAILED", jobDeploymentStatus="Failed"),
    ),
    "deadlines": _set(activeDeadlineSeconds=0, preRunningDeadlineSeconds=-1),
    "shapes": _set(rayClusterSpec="none", entrypoint=3),
}
"""What only definitions let through that check nothing."""
SCHEDULES: tuple[tuple[str, str | None], ...] = (
    ("@every 30s", None),
    ("@every 1m1s", "UTC"),
    ("@every 1.5h", None),
    ("@every +90000ms", None),
    ("@hourly", "Europe/Berlin"),
    ("0-59/1 0-23 1-31 jan-dec mon-sat", "Europe/Berlin"),
    ("*/1 * ? * *", "America/New_York"),
    ("1,2,3 4 5 6 0", None),
    ("30 2 * * sun", "Europe/Berlin"),
    ("@monthly", "Asia/Tokyo"),
    ("0 0 29 2 *", None),
    ("30 2 31 3 *", "Europe/Berlin"),
    ("30 2 27 10 *", "Europe/Berlin"),
    ("*/30 * 31 3 *", "Europe/Berlin"),
    ("30 2 10 3 *", "America/New_York"),
    ("0 0 13 * fri", None),
    ("*/2 * * * *", "Local"),
    ("@every 0", None),
)
"""When RayCronJobs run that run at odd times, and the zones of their schedules."""
UNREADABLE_SCHEDULES: Mapping[str, Feature] = {"shapes": _set(schedule=3, jobTemplate="none")}
WRONG_SCHEDULES: tuple[tuple[str, str | None], ...] = (
    ("", None),
    ("* * *", None),
    ("@every soon", None),
    ("@every 1.5.5h", None),
    ("@every 1x", None),
    ("@every .h", None),
    ("@every 1", None),
    ("@every ", None),
    ("@every 9999999999h", None),
    ("@reboot", None),
    ("60 * * * *", None),
    ("5-1 * * * *", None),
    ("1-2-3 * * * *", None),
    ("*/0 * * * *", None),
    ("1/2/3 * * * *", None),
    ("* * * foo *", None),
    ("0 0 30 2 *", None),
    ("TZ=UTC 0 0 * * *", None),
    ("* * * * *", "Nowhere/City"),
    ("99999999999999999999 * * * *", None),
    ("-1 * * * *", None),
    ("*/-1 * * * *", None),
    ('\x01\u200b\U000e0001"\\ * * * *', None),
    ("0 0 0 * *", None),
    ('@every "\t\x01\u200b\U000e0001', None),
    ("* * * * *", "../Europe/Berlin"),
)
