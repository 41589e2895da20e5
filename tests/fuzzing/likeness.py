"""Whether everything is as it was in a namespace where nothing was ever changed. Pure.

Names that were drawn, ids, times and the counting of generations differ in every world and are
masked, and of conditions those that hold are compared: one that was true once stays to say that it
is no longer. Pods and services keep what they were made with: those that were made under a change
are compared by name and number.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tests.differential.masking import drawn_names, masked
from tests.differential.stories import Json, Objects

COUNTED = {
    *("generation", "observedGeneration", "stateTransitionTimes"),
    *("lastUpdateTime", "lastScheduleTime"),
}
DERIVED = {"endpoints", "podName", "serviceName", "serviceIP"}
"""What a status tells of a service and a head that may have been made under a change."""
ADDRESS = {"ipFamilyPolicy"}
"""What a service keeps with its address: the API server fills it in when nobody writes it."""
TELLING = {"status", "head"}
"""What tells nothing if all it tells is masked, or was taken back."""
BY_WHICH_ACT = {"heliograph.dev/act", "heliograph.dev/rule"}
REDIS = "ray.io/gcs-ft-redis-cleanup-finalizer"
"""Stays once there was something in Redis: it is cleaned up in the end."""
PLANTED = "planted"
ASIDE = "aside"
_OF_CLUSTER = {"rayClusterStatus": ASIDE}
STAYING = (
    *("services", "jobs", "pods", "ingresses", "secrets"),
    *("serviceaccounts", "roles", "rolebindings", "persistentvolumeclaims"),
    "networkpolicies",
)
"""Services that were renamed, submitters of another mode and their pods, what an autoscaler, a
store or mutual TLS needed: nobody takes it away before the owner goes. Pods too many are judged
elsewhere.
"""
SHOWN = 120


def portrait(
    namespace: str, objects: Objects, aside: Collection[str] = ()
) -> Mapping[str, list[Any]]:
    """Return what is there as it would be in any namespace; of what is `aside` only names."""
    drawn = {**drawn_names(objects), namespace: "<namespace>"}
    standing = {
        plural: [_told_aside(_outline(one, aside), objects, aside) for one in found]
        for plural, found in _counted(objects).items()
    }
    return {
        plural: sorted((_still(one) for one in found), key=_by_name)
        for plural, found in masked(standing, drawn).items()
    }


def _counted(objects: Objects) -> dict[str, list[Json]]:
    return {
        plural: [one for one in found if _counts(plural, one)] for plural, found in objects.items()
    }


def _told_aside(one: Json, objects: Objects, aside: Collection[str]) -> Json:
    """Leave out what is told of a cluster that was made under a change: it stays as it is."""
    status = one.get("status") or {}
    clusters = objects.get("rayclusters", ())
    made = [each["metadata"]["name"] for each in clusters if each["metadata"]["uid"] in aside]
    active = status.get("activeServiceStatus") or {}
    if status.get("rayClusterName") in made:
        return {**one, "status": {**status, **_OF_CLUSTER}}
    if active.get("rayClusterName") in made:
        told = {"activeServiceStatus": {**active, **_OF_CLUSTER}, "numServeEndpoints": ASIDE}
        return {**one, "status": {**status, **told}}
    return one


def _counts(plural: str, one: Json) -> bool:
    return bool(one["metadata"]["name"] != PLANTED) and not kept(plural, one)


def kept(plural: str, one: Json) -> bool:
    """Tell whether it is a claim that shall outlive its cluster."""
    return plural == "persistentvolumeclaims" and not one["metadata"].get("ownerReferences")


def _outline(one: Json, aside: Collection[str]) -> Json:
    metadata = one["metadata"]
    if metadata["uid"] not in aside:
        return one
    kept = {key: metadata[key] for key in ("name", "uid", "ownerReferences") if key in metadata}
    return {"metadata": kept, ASIDE: True, "spec": {}}


def _by_name(one: Any) -> tuple[str, str]:
    return one["metadata"]["name"], repr(one)


def differences(fresh: Mapping[str, list[Any]], now: Mapping[str, list[Any]]) -> Iterator[str]:
    """Yield what differs, by kind and place."""
    for plural in sorted({*fresh, *now}):
        before = fresh.get(plural, [])
        after = [one for one in now.get(plural, []) if not _renamed(plural, one, before)]
        if len(before) > len(after) and len(after) < len(now.get(plural, [])):
            continue  # some have names of their own; how many are wished is judged elsewhere
        if len(before) != len(after):
            yield f"{plural}: {len(before)} fresh, {len(after)} now"
            continue
        for one, other in zip(before, after, strict=True):
            if ASIDE in other:
                yield from _apart(plural, one["metadata"]["name"], other["metadata"]["name"])
            else:
                yield from _apart(plural, one, other)


def _renamed(plural: str, one: Any, fresh: list[Any]) -> bool:
    """Tell of what has a name of before: as with KubeRay it stays until its owner goes."""
    names = {each["metadata"]["name"] for each in fresh}
    return plural in STAYING and ASIDE in one and one["metadata"]["name"] not in names


def _apart(place: str, one: Any, other: Any) -> Iterator[str]:
    if other == ASIDE:
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _apart(f"{place}.{key}", one.get(key), other.get(key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from _apart(f"{place}[{index}]", *pair)
    elif one != other:
        yield f"{place}: {_short(one)} fresh, {_short(other)} now"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def _still(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        left_out = COUNTED | BY_WHICH_ACT | DERIVED | ADDRESS
        left = {name: _still(one, name) for name, one in value.items() if name not in left_out}
        return left if left or key not in TELLING else None
    if isinstance(value, list) and key == "conditions":
        held = {one["type"]: one.get("reason") for one in value if one.get("status") == "True"}
        return dict(sorted(held.items()))
    if isinstance(value, list):
        return [_still(one) for one in value if one != REDIS] or None
    return value
