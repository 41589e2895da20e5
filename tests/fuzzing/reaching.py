"""Whether what a user wrote into a pod template is in the pods that were made from it. Pure.

The operator adds much and may write over a few places, which are named here. Whatever else was
written must be there: a field that is dropped in silence is a finding.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shared.kernel.quantities import parse_quantity
from tests.differential.stories import Json, Objects
from tests.fuzzing.wishes import GROUP, HEADS, owned

OURS = {
    "metadata.name",
    "metadata.namespace",
    "metadata.finalizers",
    "spec.containers[0].command",
    "spec.containers[0].args",
    "spec.restartPolicy",
    "spec.ephemeralContainers",
}
"""Where the operator, or the API server, has the last word."""
OUR_LABELS = "metadata.labels.ray.io/"
OUR_VARIABLES = ("RAY_", "FQ_RAY_IP", "REDIS_PASSWORD")


def dropped(objects: Objects) -> Iterator[str]:
    """Yield what of templates is not in the pods that were made from them."""
    for cluster in objects.get("rayclusters", ()):
        templates = _templates(cluster["spec"])
        for pod in owned(cluster, objects.get("pods", ())):
            group = pod["metadata"].get("labels", {}).get(GROUP, "")
            for place in _missing(templates.get(group, {}), pod, ""):
                yield f"{place} of group {group} is not in its pod"


def _templates(spec: Json) -> dict[str, Json]:
    groups = spec.get("workerGroupSpecs") or ()
    found = {one["groupName"]: one.get("template") or {} for one in groups}
    return {**found, HEADS: (spec.get("headGroupSpec") or {}).get("template") or {}}


def _missing(wished: Any, there: Any, place: str) -> Iterator[str]:
    if place in OURS or place.startswith(OUR_LABELS) or wished in (None, "", {}, []):
        return
    if isinstance(wished, Mapping):
        inner = there if isinstance(there, Mapping) else {}
        for key, value in wished.items():
            yield from _missing(value, inner.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(wished, list):
        yield from _entries(wished, there if isinstance(there, list) else [], place)
    elif not _equal(wished, there):
        yield f"{place} {wished!r}"


def _entries(wished: list[Any], there: list[Any], place: str) -> Iterator[str]:
    """Go through a list: entries are found by name where they have one, else by their place.

    Of two of one name, which a real API server refuses, the user's own comes first.
    """
    named = {one.get("name"): one for one in reversed(there) if isinstance(one, Mapping)}
    for index, one in enumerate(wished):
        at = f"{place}[{index}]"
        if not isinstance(one, Mapping) or not one.get("name"):
            if one not in there and not any(not list(_missing(one, each, at)) for each in there):
                yield f"{at} {one!r}"
        elif not str(one["name"]).startswith(OUR_VARIABLES):
            yield from _missing(one, named.get(one["name"]), at)


def _equal(wished: object, there: object) -> bool:
    if wished == there:
        return True
    one, other = parse_quantity(wished), parse_quantity(there)
    return one is not None and one == other
