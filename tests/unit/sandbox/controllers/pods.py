"""Pods for controller tests, and how to drive a kubelet over them."""

from datetime import datetime
from typing import Any

from sandbox.controllers import kubelet
from sandbox.controllers.scenario import PodRule, Scenario
from sandbox.objects import Object, dig, rows
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld

CALM = Scenario()


def pod(name: str = "p", *containers: str, inits: tuple[str, ...] = (), **spec: Any) -> Object:
    """Make a pod with containers of these names (one called `main` if none)."""
    made: Object = {"containers": [{"name": c, "image": f"{c}:1"} for c in containers or ("main",)]}
    if inits:
        made["initContainers"] = [{"name": init, "image": f"{init}:1"} for init in inits]
    return {
        "metadata": {"name": name, "namespace": "n", "uid": f"{name}-uid"},
        "spec": {**made, **spec},
        "status": {"phase": "Pending"},
    }


def under(**rule: Any) -> Scenario:
    """Make a scenario with one rule for every pod."""
    return Scenario(otherwise=PodRule(**rule))


def drive(
    world: SmallWorld,
    scenario: Scenario = CALM,
    *,
    start: datetime = NOON,
    until: datetime | None = None,
) -> datetime:
    """Let the kubelet work from `start` until all is quiet or a moment is reached."""
    return world.run(lambda seen, now: kubelet.step(seen, now, scenario), start, until)


def told(obj: Object) -> dict[str, tuple[str, str]]:
    """Sum up conditions as type to status and reason."""
    return {
        entry["type"]: (entry["status"], entry.get("reason", ""))
        for entry in rows(obj, "status.conditions")
    }


def state(obj: Object, index: int = 0) -> Object:
    """Return the state of one container."""
    found = list(rows(obj, "status.containerStatuses"))[index]["state"]
    assert isinstance(found, dict)
    return found


def phase(obj: Object) -> str:
    """Return the phase."""
    return str(dig(obj, "status.phase"))
