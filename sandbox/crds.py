"""Custom resource definitions: from the object to a kind the cluster serves.

Pure. `established` writes the status the API server gives a sound definition; `kind_of` reads the
kind from it. Invariant: exactly one version is stored, and objects of every version are the same
object with another `apiVersion`.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sandbox.errors import Cause
from sandbox.kinds import Column, Kind, ScalePaths, Version, field_paths
from sandbox.objects import Object, dig, metadata, name_of, rows, timestamp, with_metadata
from sandbox.schemas.judging import unreadable
from sandbox.schemas.structural import compile_schema
from sandbox.wording import invalid, required, unsupported

RESOURCE = "customresourcedefinitions.apiextensions.k8s.io"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
SCOPES = ("Cluster", "Namespaced")
AGE = Column(name="Age", path=".metadata.creationTimestamp", type="date")


def completed(crd: Object) -> Object:
    """Fill in the names and the conversion that a definition may leave out."""
    spec = dict(crd.get("spec") or {})
    names = dict(spec.get("names") or {})
    kind = str(names.get("kind", ""))
    names.setdefault("singular", kind.lower())
    names.setdefault("listKind", f"{kind}List")
    spec["names"] = names
    spec.setdefault("conversion", {"strategy": "None"})
    return {**crd, "spec": spec}


def problems(crd: Object) -> list[Cause]:
    """Find what keeps a definition from being accepted."""
    return list(_problems(crd))


def _problems(crd: Object) -> Iterator[Cause]:
    for path in ("spec.group", "spec.names.plural", "spec.names.kind", "spec.scope"):
        if not dig(crd, path):
            yield required(path)
    scope = dig(crd, "spec.scope")
    if scope and scope not in SCOPES:
        yield unsupported("spec.scope", scope, SCOPES)
    expected = f"{dig(crd, 'spec.names.plural')}.{dig(crd, 'spec.group')}"
    if name_of(crd) != expected:
        yield invalid("metadata.name", name_of(crd), 'must be spec.names.plural+"."+spec.group')
    versions = list(rows(crd, "spec.versions"))
    if sum(bool(row.get("storage")) for row in versions) != 1:
        shown = [str(row.get("name")) for row in versions]
        yield invalid(
            "spec.versions", shown, "must have exactly one version marked as storage version"
        )
    for index, row in enumerate(versions):
        path = f"spec.versions[{index}].schema.openAPIV3Schema"
        place = path if len(versions) > 1 else "spec.validation.openAPIV3Schema"
        schema = dig(row, "schema.openAPIV3Schema")
        if isinstance(schema, dict):
            yield from _schema_problems(place, schema)
        else:
            yield required(path)


def _schema_problems(path: str, schema: Object) -> Iterator[Cause]:
    try:
        compiled = compile_schema(schema)
    except ValueError as error:
        yield invalid(path, "schema", str(error).partition("\n")[0])
        return
    for where, rule, because in unreadable(compiled.rules, path):
        yield invalid(where, rule.shown, because)


def established(crd: Object, now: datetime) -> Object:
    """Return the definition with the status of one that is served."""
    spec = crd["spec"]
    held = {row.get("type"): row for row in rows(crd, "status.conditions")}
    stored = next(row["name"] for row in spec["versions"] if row.get("storage"))
    kept = [name for name in dig(crd, "status.storedVersions") or [] if name != stored]
    status = {
        "acceptedNames": spec["names"],
        "conditions": [
            held.get("NamesAccepted")
            or _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
            held.get("Established")
            or _condition(
                "Established", "InitialNamesAccepted", "the initial names have been accepted", now
            ),
        ],
        "storedVersions": [*kept, stored],
    }
    finalizers = list(metadata(crd).get("finalizers") or [])
    if CLEANUP not in finalizers and "deletionTimestamp" not in metadata(crd):
        finalizers.append(CLEANUP)
    return {**with_metadata(crd, finalizers=finalizers or None), "status": status}


def _condition(kind: str, reason: str, message: str, now: datetime) -> Object:
    return {
        "lastTransitionTime": timestamp(now),
        "message": message,
        "reason": reason,
        "status": "True",
        "type": kind,
    }


def kind_of(crd: Object) -> Kind:
    """Read the kind that a definition makes."""
    spec = crd["spec"]
    names = spec["names"]
    versions = tuple(_version(row, spec, names["kind"]) for row in spec["versions"])
    selectable = {
        str(row["jsonPath"]).lstrip(".")
        for version in spec["versions"]
        for row in version.get("selectableFields") or ()
    }
    return Kind(
        kind=names["kind"],
        plural=names["plural"],
        group=spec["group"],
        singular=names.get("singular") or names["kind"].lower(),
        list_kind=names.get("listKind") or f"{names['kind']}List",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        namespaced=spec["scope"] == "Namespaced",
        versions=versions,
        custom=True,
        fields=field_paths(*sorted(selectable)),
        counts_generations=True,
        needs_version_to_update=True,
    )


def _deprecation(row: dict[str, Any], spec: Object, kind: str) -> str:
    if not row.get("deprecated"):
        return ""
    if row.get("deprecationWarning"):
        return str(row["deprecationWarning"])
    group = spec["group"]
    newer = [
        each["name"]
        for each in spec["versions"]
        if each.get("served") and not each.get("deprecated")
    ]
    instead = f"; use {group}/{newer[0]} {kind}" if newer else ""
    return f"{group}/{row['name']} {kind} is deprecated{instead}"


def _version(row: dict[str, Any], spec: Object, kind: str) -> Version:
    subresources = row.get("subresources") or {}
    scale = subresources.get("scale")
    paths = None
    if isinstance(scale, dict):
        paths = ScalePaths(
            spec_replicas=scale["specReplicasPath"],
            status_replicas=scale["statusReplicasPath"],
            selector=scale.get("labelSelectorPath", ""),
        )
    columns = tuple(_column(each) for each in row.get("additionalPrinterColumns") or ())
    return Version(
        name=row["name"],
        served=bool(row.get("served")),
        storage=bool(row.get("storage")),
        status="status" in subresources,
        scale=paths,
        columns=columns or (AGE,),
        schema=dig(row, "schema.openAPIV3Schema"),
        warning=_deprecation(row, spec, kind),
    )


def _column(row: dict[str, Any]) -> Column:
    return Column(
        name=row["name"],
        path=row["jsonPath"],
        type=row.get("type", "string"),
        format=row.get("format", ""),
        description=row.get("description", ""),
        priority=int(row.get("priority", 0)),
    )
