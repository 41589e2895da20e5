"""The parameters of `ray start`: what the user wrote, what a group says, what is missing.

Merged in steps: a group's `resources` and `labels` rewrite the user's parameters, defaults fill
gaps, and at last the Ray container's own resources fill what is still open. Rendering is in
`ray_start.py`.
"""

import json
from collections.abc import Mapping
from decimal import Decimal

from shared.kernel.manifests import Raw, mapping_at
from shared.kernel.quantities import Quantity, parse_quantity
from shared.resources.accelerators import RAY_NAMES, is_gpu
from shared.resources.groups import Group

AGENT_PORT = "dashboard-agent-listen-port"
AGENT_PORT_DEFAULT = "52365"
METRICS_PORT = "8080"

_LARGEST_PLAIN = 1e21
_SMALLEST_PLAIN = 1e-6


def group_params(group: Group) -> dict[str, str]:
    """Return the user's parameters, rewritten by the resources and labels of the group."""
    params = {**group.ray_start_params, **_from_group_resources(group.resources)}
    if group.labels:
        params["labels"] = ",".join(f"{key}={group.labels[key]}" for key in sorted(group.labels))
    return params


def with_common_defaults(params: Mapping[str, str]) -> dict[str, str]:
    """Fill in what head and workers alike need; they always block."""
    defaults = {"metrics-export-port": METRICS_PORT, AGENT_PORT: AGENT_PORT_DEFAULT}
    return {**defaults, **params, "block": "true"}


def with_container_resources(params: Mapping[str, str], container: Raw) -> dict[str, str]:
    """Tell Ray what its container may use, where nobody told it."""
    limits = _amounts(mapping_at(container, "resources", "limits"))
    requests = _amounts(mapping_at(container, "resources", "requests"))
    found: dict[str, str] = {}
    cpu = limits.get("cpu") or requests.get("cpu")
    if cpu:
        found["num-cpus"] = str(cpu.rounded_up)
    if limits.get("memory"):
        found["memory"] = str(limits["memory"].rounded_up)
    return {**found, **params, **_accelerators(params, limits)}


def _from_group_resources(resources: Mapping[str, str]) -> dict[str, str]:
    params: dict[str, str] = {}
    others: dict[str, float] = {}
    for name, amount in _amounts(resources).items():
        match name.lower():
            case "cpu":
                params["num-cpus"] = str(amount.rounded_up)
            case "memory":
                params["memory"] = str(amount.rounded_up)
            case lower if is_gpu(lower):
                params.setdefault("num-gpus", str(amount.rounded_up))
            case _:
                others[name] = amount.approximate
    return params | ({"resources": _quoted(others)} if others else {})


def _amounts(written: Raw) -> dict[str, Quantity]:
    read = {name: parse_quantity(written[name]) for name in sorted(written)}
    return {name: amount for name, amount in read.items() if amount is not None}


def _accelerators(params: Mapping[str, str], limits: Mapping[str, Quantity]) -> dict[str, str]:
    """Find GPUs and the first other accelerator, unless the user's JSON cannot be read."""
    custom = _custom_resources(params.get("resources", ""))
    if custom is None:
        return {}
    present = {name: amount for name, amount in limits.items() if amount}
    found: dict[str, str] = {}
    gpu = next((name for name in present if is_gpu(name)), None)
    if gpu is not None and "num-gpus" not in params:
        found["num-gpus"] = str(present[gpu].rounded_up)
    other = next((name for name in present if name in RAY_NAMES), None)
    if other is not None and not custom.keys() & set(RAY_NAMES.values()):
        merged = {**custom, RAY_NAMES[other]: float(present[other].rounded_up)}
        found["resources"] = _quoted(merged)
    return found


def _custom_resources(text: str) -> dict[str, float] | None:
    """Read the JSON of a `resources` parameter; None if it is none."""
    stripped = text.strip("'\"` \t\n")
    if not stripped:
        return {}
    try:
        read = json.loads(stripped)
    except ValueError:
        return None
    if not isinstance(read, dict) or not all(_is_number(value) for value in read.values()):
        return None
    return {str(name): float(value) for name, value in read.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _quoted(resources: Mapping[str, float]) -> str:
    fields = (f"{json.dumps(name)}:{_number(resources[name])}" for name in sorted(resources))
    return f"'{{{','.join(fields)}}}'"


def _number(value: float) -> str:
    """Print a number as Ray's users know it: whole ones without a point."""
    if value == 0:
        return "0"
    if not _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return repr(value)
    plain = format(Decimal(repr(value)), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
