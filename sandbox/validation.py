"""What the API server refuses in any object, and in the built-in kinds we know.

Pure, and light: names, labels, owners, and the few fields of pods and services whose absence every
newcomer meets. Custom resources are checked by their schema as well (`sandbox.schemas`).
"""

import re
from collections.abc import Iterator

from sandbox.errors import ApiError, Cause
from sandbox.kinds import Kind
from sandbox.metarules import about_key, about_metadata
from sandbox.objects import Object, dig, metadata, name_of, rows
from sandbox.wording import invalid, required

REPLICAS_MAX = 2**31 - 1
CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
CONFIG_KEY_HELP = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def causes(kind: Kind, obj: Object, version: str = "") -> Iterator[Cause]:
    """Find what breaks the rules that every cluster has."""
    yield from about_metadata(kind, obj)
    yield from _about_kind(kind, obj)
    scale = kind.version(version).scale
    if scale is not None:
        yield from _about_replicas(obj, scale.spec_replicas)
        yield from _about_replicas(obj, scale.status_replicas)


def _about_replicas(obj: Object, path: str) -> Iterator[Cause]:
    count = dig(obj, path)
    if not isinstance(count, int):
        return
    if count < 0:
        yield invalid(path, count, "should be a non-negative integer")
    elif count > REPLICAS_MAX:
        yield invalid(path, count, f"should be less than or equal to {REPLICAS_MAX}")


def refuse(kind: Kind, obj: Object, causes: list[Cause]) -> None:
    """Raise the refusal if there is any cause for it."""
    if causes:
        name = name_of(obj) or str(metadata(obj).get("generateName") or "")
        raise ApiError.invalid(kind.kind, name, causes, group=kind.group)


def _about_kind(kind: Kind, obj: Object) -> Iterator[Cause]:
    if kind.resource == "pods":
        yield from _about_containers(obj, "spec")
    elif kind.resource == "jobs.batch":
        yield from _about_containers(obj, "spec.template.spec")
    elif kind.resource == "services":
        yield from _about_ports(obj)
    elif kind.resource in {"configmaps", "secrets"}:
        yield from _about_keys(obj)


def _about_keys(obj: Object) -> Iterator[Cause]:
    for field in ("data", "binaryData"):
        for key in obj.get(field) or {}:
            if not CONFIG_KEY.fullmatch(key):
                yield invalid(f"{field}[{key}]", key, CONFIG_KEY_HELP)


def _about_containers(obj: Object, where: str) -> Iterator[Cause]:
    containers = list(rows(obj, f"{where}.containers"))
    if not containers:
        yield required(f"{where}.containers")
    seen: set[str] = set()
    for index, row in enumerate(containers):
        path = f"{where}.containers[{index}]"
        for field in ("name", "image"):
            if not row.get(field):
                yield required(f"{path}.{field}")
        name = str(row.get("name", ""))
        if name and name in seen:
            yield _repeated(f"{path}.name", name)
        seen.add(name)


def _repeated(path: str, name: str) -> Cause:
    return Cause(field=path, reason="FieldValueDuplicate", message=f'Duplicate value: "{name}"')


def _about_ports(obj: Object) -> Iterator[Cause]:
    ports = list(rows(obj, "spec.ports"))
    headless = dig(obj, "spec.clusterIP") == "None"
    if not ports and not headless and dig(obj, "spec.type") != "ExternalName":
        yield required("spec.ports")
    for index, row in enumerate(ports):
        path = f"spec.ports[{index}]"
        name = row.get("name")
        if len(ports) > 1 and not name:
            yield required(f"{path}.name")
        elif name and any(earlier.get("name") == name for earlier in ports[:index]):
            yield _repeated(f"{path}.name", str(name))
        if not _is_port(row.get("port")):
            help_text = "must be between 1 and 65535, inclusive"
            yield invalid(f"{path}.port", row.get("port") or 0, help_text)
        if row.get("appProtocol") is not None:
            yield from about_key(f"{path}.appProtocol", str(row["appProtocol"]))
        target = row.get("targetPort")
        if isinstance(target, int) and not _is_port(target):
            help_text = "must be between 1 and 65535, inclusive"
            yield invalid(f"{path}.targetPort", target, help_text)


def _is_port(value: object) -> bool:
    return isinstance(value, int) and 0 < value < 65536  # noqa: PLR2004 - the range of ports
