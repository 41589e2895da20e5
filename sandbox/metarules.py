"""What the API server refuses in anybody's metadata: names, labels, annotations, owners.

Pure. Read next: validation.py, which adds what single kinds refuse.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.errors import Cause
from sandbox.kinds import Kind
from sandbox.objects import Object, metadata
from sandbox.wording import invalid, required

LABEL_PART = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = re.compile(rf"{LABEL_PART}(\.{LABEL_PART})*")
LABEL = re.compile(LABEL_PART)
LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
NAME_PART = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
PATH_NAMED = frozenset(("roles", "rolebindings", "clusterroles", "clusterrolebindings"))
LABEL_NAMED = frozenset(("services", "namespaces"))
NAME_MAX, LABEL_MAX = 253, 63
OWNER_FIELDS = ("apiVersion", "kind", "name", "uid")

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
LABEL_VALUE_HELP = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
NAME_PART_HELP = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def about_metadata(kind: Kind, obj: Object) -> Iterator[Cause]:
    """Find what is wrong with an object's metadata."""
    meta = metadata(obj)
    if prefix := meta.get("generateName"):
        yield from _about_name(kind, str(prefix).rstrip("-"), "generateName", str(prefix))
    if not meta.get("name"):
        yield required("metadata.name", "name or generateName is required")
    else:
        yield from _about_name(kind, str(meta["name"]), "name", str(meta["name"]))
    for key, value in (meta.get("labels") or {}).items():
        yield from about_key("metadata.labels", str(key))
        yield from _about_label(str(value))
    for key in meta.get("annotations") or {}:
        yield from about_key("metadata.annotations", str(key).lower(), shown=str(key))
    yield from _about_owners(meta.get("ownerReferences") or [])
    for name in meta.get("finalizers") or []:
        yield from about_key("metadata.finalizers", str(name))


def _about_name(kind: Kind, name: str, field: str, shown: str) -> Iterator[Cause]:
    if kind.plural in PATH_NAMED and kind.group == "rbac.authorization.k8s.io":
        return
    form, help_text, limit = SUBDOMAIN, SUBDOMAIN_HELP, NAME_MAX
    if kind.resource in LABEL_NAMED:
        form, help_text, limit = LABEL, LABEL_HELP, LABEL_MAX
    where = f"metadata.{field}"
    if len(name) > limit:
        unit = "characters" if limit == NAME_MAX else "bytes"
        yield invalid(where, shown, f"must be no more than {limit} {unit}")
    if not form.fullmatch(name):
        yield invalid(where, shown, help_text)


def _about_label(value: str) -> Iterator[Cause]:
    if len(value) > LABEL_MAX:
        yield invalid("metadata.labels", value, "must be no more than 63 bytes")
    if not LABEL_VALUE.fullmatch(value):
        yield invalid("metadata.labels", value, LABEL_VALUE_HELP)


def about_key(where: str, key: str, *, shown: str = "") -> Iterator[Cause]:
    """Check a qualified name: a prefix that is a domain, a slash, and a name."""
    prefix, slash, name = key.rpartition("/")
    if slash and not prefix:
        yield invalid(where, shown or key, "prefix part must be non-empty")
    elif slash and not SUBDOMAIN.fullmatch(prefix):
        yield invalid(where, shown or key, f"prefix part {SUBDOMAIN_HELP}")
    if not name:
        yield invalid(where, shown or key, "name part must be non-empty")
    elif len(name) > LABEL_MAX:
        yield invalid(where, shown or key, "name part must be no more than 63 bytes")
    if not NAME_PART.fullmatch(name):
        yield invalid(where, shown or key, NAME_PART_HELP)


def _about_owners(owners: list[Mapping[str, Any]]) -> Iterator[Cause]:
    first = ""
    for index, owner in enumerate(owners):
        for field in OWNER_FIELDS:
            if not owner.get(field):
                path = f"metadata.ownerReferences[{index}].{field}"
                yield required(path, "must not be empty")
        if owner.get("controller"):
            named = f"{owner.get('kind')}/{owner.get('name')}"
            if first:
                told = 'Only one reference can have Controller set to true. Found "true" in '
                shown = [_spelled(each) for each in owners]
                said = f"{told}references for {first} and {named}"
                yield invalid("metadata.ownerReferences", shown, said)
            first = first or named


def _spelled(owner: Mapping[str, Any]) -> dict[str, Any]:
    order = (*OWNER_FIELDS, "controller", "blockOwnerDeletion")
    return {field: owner[field] for field in order if field in owner}
