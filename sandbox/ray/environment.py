"""The environment of a container: what its spec says, on top of what our stand-in for images has.

Pure. Order and `$(NAME)` follow Kubernetes: later entries win, references look back. What cannot be
known is an error with its path, as the kubelet's CreateContainerConfigError. Read next:
container.py.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows

Lookup: TypeAlias = Callable[[str, str], Object | None]
"""Finds a ConfigMap or Secret of the pod's namespace: by plural and name."""
REFERENCE = re.compile(r"\$\$|\$\(([-._a-zA-Z][-._a-zA-Z0-9]*)\)")
USERS = "/home"
HOME = f"{USERS}/ray"
PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PATIENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_NUM_REDIS_GET_RETRIES": "90",
    "RAY_DASHBOARD_STARTUP_TIMEOUT_S": "180",
    "RAY_AUTH_MODE": "disabled",
}
"""Ray's own limits are tight on a busy machine; a stray token file must not lock a cluster."""
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
QUANTITY = re.compile(r"^(\d+(?:\.\d+)?)(m|k|M|G|Ki|Mi|Gi)?$")


class ConfigError(ValueError):
    """A container's environment that cannot be made; the message names the place."""


def environment(
    pod: Object, container: Object, lookup: Lookup, *, ray: str, address: str
) -> dict[str, str]:
    """Return every variable of a container."""
    base = {
        "PATH": f"{ray}/bin:{PROGRAMS}",
        "HOME": HOME,
        "HOSTNAME": name_of(pod),
        "LANG": "C.UTF-8",
        **PATIENT,
    }
    found = dict(base)
    found.update(_imported(container, lookup))
    own: dict[str, str] = {}
    for number, entry in enumerate(rows(container, "env")):
        where = f"{container.get('name')}: env[{number}]"
        value = _value(entry, pod, container, lookup, (where, address))
        if value is not None:
            own[str(entry.get("name"))] = expanded(value, {**found, **own})
    return {**found, **own}


def expanded(text: str, known: Mapping[str, str]) -> str:
    """Put variables in; one that is not known stays as it is written."""

    def put(match: re.Match[str]) -> str:
        name = match.group(1)
        return "$" if name is None else known.get(name, match.group(0))

    return REFERENCE.sub(put, text)


def command_line(container: Object, known: Mapping[str, str]) -> tuple[str, ...]:
    """Return what to run; empty where only the image would know."""
    words: Sequence[object] = [*(container.get("command") or ()), *(container.get("args") or ())]
    return tuple(expanded(str(word), known) for word in words) if container.get("command") else ()


def _imported(container: Object, lookup: Lookup) -> Iterator[tuple[str, str]]:
    for source in rows(container, "envFrom"):
        prefix = str(source.get("prefix") or "")
        for field, plural in (("configMapRef", "configmaps"), ("secretRef", "secrets")):
            name = dig(source, f"{field}.name")
            if name is None:
                continue
            held = lookup(plural, str(name))
            if held is None and not dig(source, f"{field}.optional"):
                raise ConfigError(f"{container.get('name')}: envFrom: {plural} {name} not found")
            yield from ((f"{prefix}{key}", text(held, key)) for key in keys(held))


def keys(held: Object | None) -> list[str]:
    """Name everything in a ConfigMap or Secret."""
    fields = ("data", "stringData", "binaryData")
    return [str(key) for field in fields for key in dig(held, field) or {}]


def content(held: Object | None, key: str) -> bytes | None:
    """Read one value of a ConfigMap or Secret; None if it is not there."""
    if held is None:
        return None
    secret = held.get("kind") == "Secret"
    for field, encoded in (("data", secret), ("binaryData", True), ("stringData", False)):
        found = (held.get(field) or {}).get(key)
        if found is not None:
            return b64decode(str(found)) if encoded else str(found).encode()
    return None


def text(held: Object | None, key: str) -> str:
    """Read one value as text; empty if it is not there."""
    return (content(held, key) or b"").decode(errors="replace")


def _value(
    entry: Object, pod: Object, container: Object, lookup: Lookup, at: tuple[str, str]
) -> str | None:
    where, address = at
    source = entry.get("valueFrom")
    if not source:
        return str(entry.get("value") or "")
    for field, plural in (("configMapKeyRef", "configmaps"), ("secretKeyRef", "secrets")):
        wanted = source.get(field)
        if wanted:
            found = content(lookup(plural, str(wanted.get("name"))), str(wanted.get("key")))
            if found is None and not wanted.get("optional"):
                told = f"{where}: no key {wanted.get('key')} in {plural} {wanted.get('name')}"
                raise ConfigError(told)
            return None if found is None else found.decode(errors="replace")
    if "fieldRef" in source:
        return field_value(pod, str(dig(source, "fieldRef.fieldPath")), address)
    if "resourceFieldRef" in source:
        return _resource(container, source["resourceFieldRef"])
    raise ConfigError(f"{where}: nothing is known of {', '.join(source)}")


def field_value(pod: Object, path: str, address: str) -> str:
    """Read a field as the downward API gives it."""
    known = {
        "metadata.name": name_of(pod),
        "metadata.namespace": namespace_of(pod),
        "metadata.uid": str(metadata(pod).get("uid", "")),
        "status.podIP": address,
        "status.podIPs": address,
        "status.hostIP": str(dig(pod, "status.hostIP") or ""),
    }
    part, _, key = path.partition("['")
    if key:
        return str((dig(pod, part) or {}).get(key.removesuffix("']"), ""))
    return known[path] if path in known else str(dig(pod, path) or "")


def _resource(container: Object, wanted: Object) -> str:
    """Read a limit or request in whole units, rounded up as Kubernetes does."""
    said = dig(container.get("resources"), str(wanted.get("resource")))
    divisor = amount(str(wanted.get("divisor") or "1")) or 1.0
    return str(int(-(-amount(str(said or "0")) // divisor)))


def amount(quantity: str) -> float:
    """Read a quantity such as `500m` or `2Gi`; what cannot be read counts as nothing."""
    match = QUANTITY.match(quantity)
    if match is None:
        return 0.0
    unit = match.group(2) or ""
    return float(match.group(1)) * (0.001 if unit == "m" else UNITS[unit])
