"""What a user may ask of a RayService, and what they get wrong there.

A RayService is costly, so few worlds have a rich one; one that is mistaken is never made.
"""

from collections.abc import Mapping
from typing import Any

from tests.simulation.features.clusters import Feature, Manifest
from tests.simulation.scripts import NEVER_RUNS

ANNOTATION = "ray.io/initializing-timeout"
DUD = f"applications:\n- name: {NEVER_RUNS}\n  import_path: fruit.dud\n"


def _set(**fields: object) -> Feature:
    return lambda manifest: manifest["spec"].update(fields)


def _config(**fields: object) -> Feature:
    return lambda manifest: manifest["spec"]["rayClusterConfig"].update(fields)


def _waits(text: str) -> Feature:
    return lambda manifest: manifest["metadata"].update(annotations={ANNOTATION: text})


def _both(*changes: Feature) -> Feature:
    return lambda manifest: [change(manifest) for change in changes]


def _stepping(options: Mapping[str, object] | None = None, *, scaled: bool = True) -> Feature:
    strategy: dict[str, object] = {"type": "NewClusterWithIncrementalUpgrade"}
    if options is not None:
        strategy["clusterUpgradeOptions"] = dict(options)

    def change(manifest: dict[str, object]) -> None:
        _set(upgradeStrategy=strategy)(manifest)
        _config(enableInTreeAutoscaling=scaled)(manifest)

    return change


_WHOLE: dict[str, object] = {"gatewayClassName": "x", "intervalSeconds": 1, "stepSizePercent": 5}
FEATURES: Mapping[str, Feature] = {
    "patient": _waits("30m"),
    "own service": _set(
        serveService={
            "metadata": {"name": "own-serve", "labels": {"team": "red"}, "annotations": {"a": "b"}},
            "spec": {"type": "NodePort", "ports": [{"name": "serve", "port": 8000}]},
        }
    ),
    "without head": _set(excludeHeadPodFromServeSvc=True),
    "patient for seconds": _waits("1800"),
    "by a new cluster": _set(upgradeStrategy={"type": "NewCluster"}),
    "untold upgrade": _set(upgradeStrategy={}),
    "token": _config(rayVersion="2.52.0", authOptions={"mode": "token"}),
    "redis": _config(gcsFaultToleranceOptions={"redisAddress": "redis:6379"}),
}


def _without_port(manifest: Manifest) -> None:
    """Leave no port of the head that serves."""
    head: Any = manifest["spec"]["rayClusterConfig"]["headGroupSpec"]
    head["template"]["spec"]["containers"][0]["ports"] = [{"name": "gcs", "containerPort": 6379}]


IN_VAIN: Mapping[str, Feature] = {
    "never runs": _set(serveConfigV2=DUD),
    "nothing to run": _set(serveConfigV2="applications: []\n"),
    "nobody can read": _set(serveConfigV2="a: ["),
    "no port": _without_port,
}
"""Why a service never serves, though its spec makes sense."""
IMPATIENT = _waits("6s")
MISTAKES: Mapping[str, Feature] = {
    "kubernetes token": _config(authOptions={"mode": "token", "enableK8sTokenAuth": True}),
    "strategy": _config(upgradeStrategy={"type": "Recreate"}),
    "name of a service": lambda manifest: manifest["spec"]["rayClusterConfig"][
        "headGroupSpec"
    ].update(headService={"metadata": {"name": "mine"}}),
    "unknown upgrade": _set(upgradeStrategy={"type": "Sideways"}),
    "long wait": _waits("soon"),
    "negative wait": _waits("-5m"),
    "negative seconds": _waits("-5"),
    "no number": _waits("0h"),
    "no options": _stepping(),
    "unscaled": _stepping(_WHOLE, scaled=False),
    "no interval": _stepping({**_WHOLE, "intervalSeconds": 0, "gatewayClassName": ""}),
    "too much": _stepping({**_WHOLE, "maxSurgePercent": 101, "stepSizePercent": 101}),
    "surge": _stepping({**_WHOLE, "maxSurgePercent": 1}),
}
UNCHECKED: Mapping[str, Feature] = {
    "negative delay": _set(rayClusterDeletionDelaySeconds=-1),
    "no options": _stepping(),
    "no class": _stepping({"stepSizePercent": 5}),
    "shapes": _set(rayClusterConfig="none"),
}
"""What only definitions let through that check nothing."""
