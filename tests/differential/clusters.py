"""The lives of RayClusters: made, scaled, put to rest, woken, broken, changed, deleted."""

from copy import deepcopy
from typing import Any

from tests.differential.features import FEATURES
from tests.differential.stories import (
    Create,
    Delete,
    Lose,
    Objects,
    Patch,
    Step,
    Story,
    cluster_ready,
    cluster_state,
    nothing_left,
    refused,
)
from tests.support.fleet import GROUP, Json, manifest

NAME = "ray"
FAMILY = "clusters"
TWO_STORES = {"backend": "rocksdb", "redisAddress": "redis:6379"}
NOWHERE = {"collectorOptions": {"image": "collector:1"}}


def scaled(replicas: int) -> Patch:
    """Wish for another number of workers."""
    change = [{"op": "replace", "path": "/spec/workerGroupSpecs/0/replicas", "value": replicas}]
    return Patch(plural="rayclusters", name=NAME, change=change)


def patched(**spec: object) -> Patch:
    """Change the spec."""
    return Patch(plural="rayclusters", name=NAME, change={"spec": spec})


def created(body: Json, pods: int) -> Step:
    """Create a cluster and wait until it is ready."""
    return Step(name="create", deeds=(Create(manifest=body),), until=cluster_ready(NAME, pods))


DELETE = Step(name="delete", deeds=(Delete(plural="rayclusters", name=NAME),), until=nothing_left)


def lives() -> list[Story]:
    """Return whole lives of a small cluster."""
    create = created(manifest(NAME, 1), 2)
    return [
        _story(
            "scaled",
            create,
            Step(name="grow", deeds=(scaled(3),), until=cluster_ready(NAME, 4)),
            Step(name="shrink", deeds=(scaled(1),), until=cluster_ready(NAME, 2)),
            Step(name="to nothing", deeds=(scaled(0),), until=cluster_ready(NAME, 1)),
        ),
        _story(
            "suspended",
            create,
            Step(
                name="suspend",
                deeds=(patched(suspend=True),),
                until=cluster_state(NAME, "suspended", 0),
            ),
            Step(name="resume", deeds=(patched(suspend=False),), until=cluster_ready(NAME, 2)),
        ),
        _story("losing", create, _losing("a worker", "worker"), _losing("the head", "head")),
        policed(),
        kept(),
    ]


def policed() -> Story:
    """Return the story of a cluster whose walls are moved, and taken down."""
    own = {"groupName": GROUP, "ingressRules": [{"ports": [{"port": 80, "protocol": "TCP"}]}]}
    other = {"mode": "DenyAllIngress", "worker": None, "workerGroups": [own]}
    return _story(
        "policed",
        created(_with("policy"), 2),
        Step(
            name="other walls",
            deeds=(patched(networkPolicy=other),),
            until=lambda objects: _walls(objects) == {("Ingress",)},
        ),
        Step(
            name="no walls",
            deeds=(patched(networkPolicy=None),),
            until=lambda objects: _walls(objects) == set(),
        ),
    )


def _walls(objects: Objects) -> set[tuple[str, ...]]:
    return {tuple(one["spec"]["policyTypes"]) for one in objects.get("networkpolicies", ())}


def kept() -> Story:
    """Return the story of a cluster whose state outlives it."""
    body = _with("rocks")
    body["spec"]["gcsFaultToleranceOptions"]["storage"]["deletionPolicy"] = "Retain"
    gone = Step(name="delete", deeds=DELETE.deeds, until=_only_claims)
    return Story(name="cluster-kept", family=FAMILY, steps=(created(body, 2), gone))


def _only_claims(objects: Objects) -> bool:
    left = {plural for plural, found in objects.items() if found and plural != "events"}
    return left == {"persistentvolumeclaims"}


def _losing(whom: str, kind: str) -> Step:
    """Let a pod of that kind be lost, and wait until all is well again."""
    deed = Lose(label="ray.io/node-type", value=kind)
    return Step(name=f"lose {whom}", deeds=(deed,), until=cluster_ready(NAME, 2))


def changes() -> list[Story]:
    """Return what becomes of another image, with and without Recreate, and of a resting group."""
    image = [
        {
            "op": "replace",
            "path": "/spec/headGroupSpec/template/spec/containers/0/image",
            "value": "rayproject/ray:2.53.0",
        }
    ]
    rest = [{"op": "add", "path": "/spec/workerGroupSpecs/0/suspend", "value": True}]
    wake = [{"op": "replace", "path": "/spec/workerGroupSpecs/0/suspend", "value": False}]
    changed = Step(name="another image", deeds=(_json(image),), until=cluster_ready(NAME, 2))
    return [
        _story("changed", created(manifest(NAME, 1), 2), changed),
        _story("recreated", created(_with("recreate"), 2), changed),
        _story(
            "group-resting",
            created(manifest(NAME, 1), 2),
            Step(name="rest", deeds=(_json(rest),), until=cluster_ready(NAME, 1)),
            Step(name="wake", deeds=(_json(wake),), until=cluster_ready(NAME, 2)),
        ),
        _story("managed", _idle(_told(manifest(NAME, 1), managedBy="kueue.x-k8s.io/multikueue"))),
    ]


def refusals() -> list[Story]:
    """Return clusters that make no sense."""
    bounds = manifest(NAME, 1)
    bounds["spec"]["workerGroupSpecs"][0] |= {"minReplicas": 5, "maxReplicas": 3}
    lost = _with("policy")
    lost["spec"]["networkPolicy"]["workerGroups"] = [{"groupName": "elsewhere"}]
    empty = manifest(NAME, 1)
    empty["spec"]["headGroupSpec"]["template"]["spec"]["containers"] = []
    wrong = {
        "resting": _with("autoscale", "resting"),
        "token": _with("token", "oldray"),
        "words": _with("params", "words"),
        "bounds": bounds,
        "empty": empty,
        "redis-twice": _told(_with("redis"), headGroupSpec=_with_password()),
        "walls": lost,
        "two-stores": _told(_with("rocks"), gcsFaultToleranceOptions=TWO_STORES),
        "priority": _told(_with("scaler"), rayVersion="2.52.0"),
        "collector": _told(_with("history"), historyServerOptions=NOWHERE),
    }
    return [
        _story(
            f"wrong-{name}",
            Step(name="create", deeds=(Create(manifest=body),), until=refused),
        )
        for name, body in wrong.items()
    ]


def _with_password() -> Any:
    head = deepcopy(manifest(NAME, 1)["spec"]["headGroupSpec"])
    head["rayStartParams"] = {"redis-password": "a word"}
    return head


def _with(*features: str) -> Json:
    body = deepcopy(manifest(NAME, 1))
    for name in features:
        FEATURES[name](body["spec"])
    return body


def _told(body: Json, **spec: object) -> Json:
    return {**body, "spec": {**body["spec"], **spec}}


def _idle(body: Json) -> Step:
    return Step(name="create", deeds=(Create(manifest=body),), until=lambda _: True)


def _json(change: list[Json]) -> Patch:
    return Patch(plural="rayclusters", name=NAME, change=change)


def _story(name: str, *steps: Step) -> Story:
    return Story(name=f"cluster-{name}", family=FAMILY, steps=(*steps, DELETE))
