"""The smallest merge patch between two statuses, and whether a change is worth writing.

`lastUpdateTime` says when something else changed, so it never counts as a change itself. Nor do
other words for the same obstacle: "0/5 nodes" that becomes "0/6 nodes" is told with the next news.
"""

from collections.abc import Mapping

from services.status.conditions.blocked import BLOCKED, same_news
from services.status.conditions.transitions import conditions_of
from shared.aggregates.phases import SERVICE_CLUSTERS

UPDATED = "lastUpdateTime"
FIRST_TOLD = (
    "state",
    "desiredWorkerReplicas",
    "jobDeploymentStatus",
    "jobStatus",
    "reason",
    "message",
)
"""What is worth telling when it is there for the first time."""


NOT_TOLD = frozenset(
    {"endpoints", "head", "stateTransitionTimes", "rayClusterStatus", "rayJobInfo"}
)
"""What follows from something else that is told, or seen."""


SHARES = {"targetCapacity": "capacity", "trafficRoutedPercent": "traffic"}
"""What a cluster of an upgrade in steps has, and how that is called for people."""


def merge_patch(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    """Return what turns `old` into `new`: changed values, None for what goes."""
    patch: dict[str, object] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            inner = merge_patch(before, value)
            if inner:
                patch[key] = inner
        elif key not in old or before != value:
            patch[key] = value
    return patch


def difference(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    """Return the patch that matters; empty if nothing does."""
    patch = merge_patch(
        {key: value for key, value in old.items() if key != UPDATED},
        {key: value for key, value in new.items() if key != UPDATED},
    )
    return {} if set(patch) == {"conditions"} and _only_words(old, new) else patch


def _only_words(old: Mapping[str, object], new: Mapping[str, object]) -> bool:
    """Whether the conditions differ in the words for one and the same obstacle only."""
    before, after = conditions_of(old), conditions_of(new)
    same = same_news(before.pop(BLOCKED, {}), after.pop(BLOCKED, {}))
    return same and before == after


def described(old: Mapping[str, object], patch: Mapping[str, object]) -> tuple[str, ...]:
    """Say what changes, for people: conditions by name, plain fields from and to.

    What a first status merely fills in (counts, conditions that do not hold) is not told.
    """
    lines: list[str] = []
    for key, value in patch.items():
        if key == "conditions":
            lines.extend(_conditions(old.get(key), value))
        elif key in SERVICE_CLUSTERS:
            lines.extend(_cluster(key, value))
        elif key in NOT_TOLD:
            continue
        elif isinstance(value, Mapping | list):
            lines.append(f"{key} changed")
        elif key in old:
            lines.append(f"{key}: {old[key]} -> {'none' if value is None else value}")
        elif key in FIRST_TOLD:
            lines.append(f"{key}: {value}")
    return tuple(lines)


def _cluster(key: str, value: object) -> list[str]:
    """Say which cluster a RayService has, and how its applications are."""
    word = key.removesuffix("ServiceStatus")
    if not isinstance(value, Mapping):
        return [f"no {word} cluster"]
    name = value.get("rayClusterName", "")
    lines = [f"{word} cluster: {name or 'none'}"] if "rayClusterName" in value else []
    for field, told in SHARES.items():
        lines += [f"{word} {told}: {value[field]} percent"] if value.get(field) is not None else []
    applications = value.get("applicationStatuses")
    for each, one in applications.items() if isinstance(applications, Mapping) else ():
        status = one.get("status") if isinstance(one, Mapping) else "gone"
        lines += [f"{each} is {status}"] if status else []
    return lines


def _conditions(old: object, new: object) -> list[str]:
    before, after = _statuses(old), _statuses(new)
    told = [
        f"{type_} is {state}"
        for type_, state in after.items()
        if before.get(type_) != state and (type_ in before or state.startswith("True"))
    ]
    return told + [f"{type_} is no longer told" for type_ in before if type_ not in after]


def _statuses(conditions: object) -> dict[str, str]:
    entries = conditions if isinstance(conditions, list) else []
    return {
        str(entry.get("type")): f"{entry.get('status')} ({entry.get('reason')})"
        for entry in entries
        if isinstance(entry, Mapping)
    }
