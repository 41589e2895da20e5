"""The lives of RayServices: made, changed in place, upgraded, deleted."""

from copy import deepcopy
from typing import Any

from tests.differential.stories import (
    Create,
    Delete,
    Json,
    Objects,
    Patch,
    Step,
    Story,
    nothing_left,
    pods_up,
    refused,
    status,
)
from tests.e2e.services.counter import MARKET, rayservice
from tests.e2e.services.crossing import stepped

NAME = "fruit"
FAMILY = "serves"
DELETE = Step(name="delete", deeds=(Delete(plural="rayservices", name=NAME),), until=nothing_left)


def serves(app: str, endpoints: int = 2, pods: int = 2) -> Any:
    """Wait until an application runs on one cluster, and so many of its pods take requests."""

    def holds(objects: Objects) -> bool:
        told = status(objects, "rayservices", NAME)
        apps = told.get("activeServiceStatus", {}).get("applicationStatuses") or {}
        running = app in apps and all(one.get("status") == "RUNNING" for one in apps.values())
        one_cluster = len(objects.get("rayclusters", ())) == 1
        taking = told.get("numServeEndpoints") == endpoints
        return running and one_cluster and taking and pods_up(objects, pods) and _ready(told)

    return holds


def _ready(told: Any) -> bool:
    conditions = told.get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _suspended(objects: Objects) -> bool:
    conditions = status(objects, "rayservices", NAME).get("conditions", ())
    return any(one["type"] == "Suspended" and one["status"] == "True" for one in conditions)


def changed(**spec: Any) -> Patch:
    """Change the spec."""
    return Patch(plural="rayservices", name=NAME, change={"spec": spec})


WAYS: dict[str, dict[str, Any]] = {
    "no-head": {"excludeHeadPodFromServeSvc": True},
    "own-service": {"serveService": {"metadata": {"name": "own-serve", "labels": {"team": "red"}}}},
    "no-upgrade": {"upgradeStrategy": {"type": "None"}},
}


def lives() -> list[Story]:
    """Return every story of a RayService."""
    body = rayservice(NAME)
    newer = deepcopy(body["spec"]["rayClusterConfig"])
    newer["rayVersion"] = "2.53.0"
    market, upgrade = changed(serveConfigV2=MARKET), changed(rayClusterConfig=newer)
    wrong = rayservice(NAME, upgradeStrategy={"type": "Sideways"})
    rest = Step(name="suspend", deeds=(changed(suspend=True),), until=_suspended)
    wake = Step(name="resume", deeds=(changed(suspend=False),), until=serves("stand"))
    return [
        _story(
            "changed",
            _created(body),
            Step(name="another application", deeds=(market,), until=serves("market")),
        ),
        _story(
            "upgraded",
            _created(body),
            Step(name="upgrade", deeds=(upgrade,), until=serves("stand")),
        ),
        _story("suspended", _created(body), rest, wake),
        _story(
            "in-steps",
            _created(stepped(NAME)),
            Step(name="upgrade", deeds=(upgrade,), until=serves("stand", 1, 1)),
        ),
        _story("in-steps-suspended", _created(stepped(NAME)), rest, wake),
        *(_story(name, _created(rayservice(NAME, **spec))) for name, spec in WAYS.items()),
        _story("wrong", Step(name="create", deeds=(Create(manifest=wrong),), until=refused)),
    ]


def _created(body: Json) -> Step:
    endpoints = 1 if body["spec"].get("excludeHeadPodFromServeSvc") else 2
    return Step(name="create", deeds=(Create(manifest=body),), until=serves("stand", endpoints))


def _story(name: str, *steps: Step) -> Story:
    return Story(name=f"serve-{name}", family=FAMILY, steps=(*steps, DELETE))
