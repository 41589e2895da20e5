"""What the API server refuses in any object, and in the built-in kinds we know.

Pure, and light: names, labels, owners, and the few fields of pods and services whose absence every
newcomer meets. Custom resources are checked by their schema as well (`sandbox.schemas`).
"""

import json
import re
from collections.abc import Iterator

from sandbox.errors import ApiError, Cause
from sandbox.kinds import Kind
from sandbox.objects import Object, dig, metadata, name_of, rows

LABEL_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = re.compile(rf"{LABEL_PART}(\.{LABEL_PART})*")
LABEL = re.compile(LABEL_PART)
SERVICE_NAME = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
PATH_NAMED = frozenset(("roles", "rolebindings"))

SUBDOMAIN_HELP = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    rf"for validation is '{LABEL_PART}(\.{LABEL_PART})*')"
)
LABEL_HELP = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    f"for validation is '{LABEL_PART}')"
)
SERVICE_HELP = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
LABEL_VALUE_HELP = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def check(kind: Kind, obj: Object) -> None:
    """Refuse an object that breaks the rules every cluster has."""
    refuse(kind, obj, [*_about_metadata(kind, obj), *_about_kind(kind, obj)])


def refuse(kind: Kind, obj: Object, causes: list[Cause]) -> None:
    """Raise the refusal if there is any cause for it."""
    if causes:
        name = name_of(obj) or str(metadata(obj).get("generateName") or "")
        raise ApiError.invalid(kind.kind, name, causes, group=kind.group)


def invalid(field: str, value: object, detail: str) -> Cause:
    """Say that a field's value is wrong."""
    said = f"Invalid value: {json.dumps(value)}: {detail}"
    return Cause(field=field, reason="FieldValueInvalid", message=said)


def required(field: str, detail: str = "") -> Cause:
    """Say that a field is missing."""
    said = f"Required value: {detail}" if detail else "Required value"
    return Cause(field=field, reason="FieldValueRequired", message=said)


def forbidden(field: str, detail: str) -> Cause:
    """Say that a field may not be what it is."""
    return Cause(field=field, reason="FieldValueForbidden", message=f"Forbidden: {detail}")


def _about_metadata(kind: Kind, obj: Object) -> Iterator[Cause]:
    meta = metadata(obj)
    if not meta.get("name"):
        yield required("metadata.name", "name or generateName is required")
    else:
        yield from _about_name(kind, str(meta["name"]))
    for value in (meta.get("labels") or {}).values():
        if not LABEL_VALUE.fullmatch(str(value)):
            yield invalid("metadata.labels", value, LABEL_VALUE_HELP)
        elif len(str(value)) > 63:  # noqa: PLR2004 - the limit Kubernetes documents
            yield invalid("metadata.labels", value, "must be no more than 63 bytes")
    for index, owner in enumerate(meta.get("ownerReferences") or []):
        for field in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(field):
                path = f"metadata.ownerReferences[{index}].{field}"
                yield invalid(path, owner.get(field) or "", f"{field} must not be empty")


def _about_name(kind: Kind, name: str) -> Iterator[Cause]:
    if kind.plural in PATH_NAMED:
        return
    form, help_text, limit = SUBDOMAIN, SUBDOMAIN_HELP, 253
    if kind.resource == "services":
        form, help_text, limit = SERVICE_NAME, SERVICE_HELP, 63
    elif kind.resource == "namespaces":
        form, help_text, limit = LABEL, LABEL_HELP, 63
    if not form.fullmatch(name):
        yield invalid("metadata.name", name, help_text)
    if len(name) > limit:
        yield invalid("metadata.name", name, f"must be no more than {limit} bytes")


def _about_kind(kind: Kind, obj: Object) -> Iterator[Cause]:
    if kind.resource == "pods":
        yield from _about_containers(obj, "spec")
    elif kind.resource == "jobs.batch":
        yield from _about_containers(obj, "spec.template.spec")
    elif kind.resource == "services":
        yield from _about_ports(obj)


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
            said = f'Duplicate value: "{name}"'
            yield Cause(field=f"{path}.name", reason="FieldValueDuplicate", message=said)
        seen.add(name)


def _about_ports(obj: Object) -> Iterator[Cause]:
    ports = list(rows(obj, "spec.ports"))
    headless = dig(obj, "spec.clusterIP") == "None"
    if not ports and not headless and dig(obj, "spec.type") != "ExternalName":
        yield required("spec.ports")
    for index, row in enumerate(ports):
        path = f"spec.ports[{index}]"
        if len(ports) > 1 and not row.get("name"):
            yield required(f"{path}.name")
        if not _is_port(row.get("port")):
            help_text = "must be between 1 and 65535, inclusive"
            yield invalid(f"{path}.port", row.get("port") or 0, help_text)


def _is_port(value: object) -> bool:
    return isinstance(value, int) and 0 < value < 65536  # noqa: PLR2004 - the range of ports
