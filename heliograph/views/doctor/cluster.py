"""Kubernetes and our custom resource definitions: what is said of them. Pure."""

from collections.abc import Iterator, Mapping

from heliograph.views.doctor.checks import Area, Check
from heliograph.views.doctor.facts import Cluster, Definition, Unknown
from shared.kernel.counting import counted
from shared.kernel.manifests import Raw, entries_at, is_raw, mapping_at, text_at, words_at

AREA = Area("Kubernetes")
DEFINITIONS = Area("definitions")
APPLY = "heliograph crds | kubectl apply --server-side --force-conflicts -f -"
NEEDED = frozenset({"rayclusters.ray.io"})
"""Without this one nothing works; kinds of the others are then not looked after."""
_FREE = "x-kubernetes-preserve-unknown-fields"
_OBJECT = frozenset({"metadata", "spec"})
_PARTS = frozenset({"env", "resources", "securityContext", "valueFrom", "volumeMounts"})
"""Parts of pods that stand in our kinds by themselves."""
FIELDS_MAX = 4


def cluster_checks(cluster: Cluster) -> Iterator[Check]:
    """Judge whether Kubernetes answers, and whether what we deploy runs."""
    if isinstance(cluster.version, Unknown):
        yield AREA.wrong(
            "connection",
            cluster.version.why,
            "watcher, executor and status cannot work while it is away",
            "see that `kubectl version` answers with the same kubeconfig and context",
            "heliograph doctor --no-kube looks at NATS alone",
        )
        return
    yield AREA.well("connection", f"{cluster.version} answers at {cluster.where}")
    yield from _deployments(cluster)


def _deployments(cluster: Cluster) -> Iterator[Check]:
    found = cluster.deployments
    if isinstance(found, Unknown):
        yield AREA.unknown("deployments", found.why)
        return
    short = [each for each in found if each.available < each.wanted]
    for each in short:
        yield AREA.warning(
            "deployments",
            f"{each.name} has {each.available} of {each.wanted} pods",
            "others do its work, or nobody does: see services",
            f"kubectl describe deployment -n {each.name.replace('/', ' ')}",
        )
    if found and not short:
        yield AREA.well(
            "deployments", f"all pods of {counted(len(found), 'deployment')} are available"
        )


def definition_checks(cluster: Cluster) -> Iterator[Check]:
    """Judge every custom resource definition of ours."""
    for name, found in cluster.definitions.items():
        if isinstance(found, Unknown):
            yield DEFINITIONS.unknown(name, found.why)
        else:
            yield from _definition(found)


def _definition(found: Definition) -> Iterator[Check]:
    if not found.there:
        tell = DEFINITIONS.wrong if found.name in NEEDED else DEFINITIONS.warning
        yield tell(found.name, "is not installed", "nobody can make one", APPLY)
        return
    problems = [*_troubles(found)]
    yield from problems
    if not problems:
        served = ", ".join(found.versions)
        yield DEFINITIONS.well(found.name, f"has every field of ours; serves {served}")


def _troubles(found: Definition) -> Iterator[Check]:
    if not found.established:
        yield DEFINITIONS.wrong(
            found.name,
            "is not established",
            "the API server does not serve the kind",
            f"kubectl describe crd {found.name} says why",
        )
    if found.missing:
        more = len(found.missing) - FIELDS_MAX
        told = ", ".join(found.missing[:FIELDS_MAX]) + (f" and {more} more" if more > 0 else "")
        yield DEFINITIONS.warning(
            found.name,
            f"is older than ours; it lacks {told}",
            "the API server drops what is written there, without a word",
            APPLY,
        )
    if found.unserved:
        yield DEFINITIONS.warning(
            found.name,
            f"objects may be stored in {', '.join(found.unserved)}, which is not in it any more",
            "such objects cannot be read, and a later definition may refuse them",
            "write every object once (kubectl get ... -o yaml | kubectl replace -f -)",
            f"then take the version out of status.storedVersions of {found.name}",
        )


def compared(name: str, ours: Raw, theirs: Raw) -> Definition:
    """Compare an installed definition with ours."""
    there, wanted = _versions(theirs), _versions(ours)
    served = tuple(name for name, one in there.items() if one.get("served"))
    missing = tuple(
        path
        for version, one in wanted.items()
        if one.get("storage")
        for path in _missing_of(version, one, there)
    )
    stored = words_at(theirs, "status", "storedVersions")
    return Definition(
        name=name,
        established=_established(theirs),
        missing=missing,
        unserved=tuple(each for each in stored if each not in there),
        versions=served,
    )


def _versions(definition: Raw) -> Mapping[str, Raw]:
    return {text_at(each, "name"): each for each in entries_at(definition, "spec", "versions")}


def _established(definition: Raw) -> bool:
    return any(
        each.get("type") == "Established" and each.get("status") == "True"
        for each in entries_at(definition, "status", "conditions")
    )


def _missing_of(version: str, ours: Raw, there: Mapping[str, Raw]) -> Iterator[str]:
    if version not in there:
        yield f"version {version}"
        return
    yield from missing_fields(_schema(ours), _schema(there[version]))


def _schema(version: Raw) -> Raw:
    return mapping_at(version, "schema", "openAPIV3Schema")


def missing_fields(ours: Raw, theirs: Raw, path: str = "") -> Iterator[str]:
    """Yield the fields that ours describes and theirs does not, the uppermost of each branch.

    Kubernetes' own inside ours (pod templates, services, environments) are left out: which of their
    fields there are depends on the version of Kubernetes that a definition was made for.
    """
    if theirs.get(_FREE):
        return
    if is_raw(ours.get("items")):
        yield from missing_fields(
            mapping_at(ours, "items"), mapping_at(theirs, "items"), f"{path}[]"
        )
    wanted, there = mapping_at(ours, "properties"), mapping_at(theirs, "properties")
    if path and wanted.keys() >= _OBJECT:
        return
    for name in wanted:
        here = f"{path}.{name}" if path else name
        if name not in there:
            yield here
        elif name not in _PARTS:
            yield from missing_fields(mapping_at(wanted, name), mapping_at(there, name), here)
