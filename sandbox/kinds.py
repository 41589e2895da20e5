"""Which kinds the cluster serves, and how each behaves.

A `Kind` is one resource of one group: its names, its served versions and its habits. The `Registry`
finds it by the URL's group, version and plural, or by its resource key: `pods`, and with a group
`jobs.batch`; a bare plural is enough where only one kind has it. Two kinds may share one storage
(`stored_as`), as the two faces of events do. Read next: builtin.py and crds.py, which make kinds.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from sandbox.errors import ApiError, qualified

COMMON_FIELDS = MappingProxyType(
    {"metadata.name": "metadata.name", "metadata.namespace": "metadata.namespace"}
)


class Column(Struct, frozen=True, kw_only=True):
    """One column of a table: where its value is found, and when it is shown."""

    name: str
    path: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


class ScalePaths(Struct, frozen=True, kw_only=True):
    """Where an object keeps what the scale subresource shows."""

    spec_replicas: str
    status_replicas: str
    selector: str = ""


class Version(Struct, frozen=True, kw_only=True):
    """One version of a kind."""

    name: str
    served: bool = True
    storage: bool = True
    status: bool = False
    scale: ScalePaths | None = None
    columns: tuple[Column, ...] = ()
    schema: Mapping[str, Any] | None = None
    warning: str = ""


class Kind(Struct, frozen=True, kw_only=True):
    """One kind of object."""

    kind: str
    plural: str
    versions: tuple[Version, ...]
    group: str = ""
    singular: str = ""
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    namespaced: bool = True
    custom: bool = False
    stored_as: str = ""
    fields: Mapping[str, str] = COMMON_FIELDS
    counts_generations: bool = False
    needs_version_to_update: bool = False
    born_by_update: bool = False
    returns_what_it_deleted: bool = False
    orphans_by_default: bool = False

    @property
    def resource(self) -> str:
        """The key under which objects of this kind are stored."""
        return self.stored_as or self.qualified_plural

    @property
    def qualified_plural(self) -> str:
        """The plural with its group, as messages show it."""
        return qualified(self.plural, self.group)

    @property
    def storage_version(self) -> Version:
        """The version in which objects are kept."""
        return next(version for version in self.versions if version.storage)

    def api_version(self, version: str = "") -> str:
        """Return the `apiVersion` of objects seen through a version (none given: as stored)."""
        name = version or self.storage_version.name
        return f"{self.group}/{name}" if self.group else name

    def version(self, name: str) -> Version:
        """Return the version of that name (none given: the stored one)."""
        if not name:
            return self.storage_version
        found = next((each for each in self.versions if each.name == name and each.served), None)
        if found is None:
            raise ApiError.unknown_resource()
        return found

    def not_found(self, name: str) -> ApiError:
        """Say that there is no object of this kind under that name."""
        return ApiError.not_found(self.plural, name, self.group)

    def conflict(self, name: str, because: str = "") -> ApiError:
        """Say that an object of this kind is not what the client thought."""
        return ApiError.conflict(self.plural, name, because, group=self.group)


class Registry:
    """Every kind the cluster serves at this moment."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds: dict[str, Kind] = {}
        self.generation = 0
        for kind in kinds:
            self.add(kind)

    def __iter__(self) -> Iterator[Kind]:
        return iter(tuple(self._kinds.values()))

    def add(self, kind: Kind) -> None:
        """Serve a kind, or serve it differently from now on."""
        self._kinds[kind.qualified_plural] = kind
        self.generation += 1

    def drop(self, qualified_plural: str) -> None:
        """Serve a kind no longer."""
        if self._kinds.pop(qualified_plural, None) is not None:
            self.generation += 1

    def find(self, resource: str) -> Kind:
        """Find a kind by `plural` or `plural.group`; raises `ApiError` if it is not served."""
        if resource in self._kinds:
            return self._kinds[resource]
        for kind in self._kinds.values():
            if kind.plural == resource:
                return kind
        raise ApiError.unknown_resource()

    def served(self, group: str, version: str, plural: str) -> Kind:
        """Find the kind behind a URL; raises `ApiError` if it is not served."""
        kind = self._kinds.get(qualified(plural, group))
        found = kind and next((v for v in kind.versions if v.name == version and v.served), None)
        if kind is None or found is None:
            raise ApiError.unknown_resource() if self._builtin(group) else ApiError.unknown_path()
        return kind

    def _builtin(self, group: str) -> bool:
        return any(kind.group == group and not kind.custom for kind in self._kinds.values())

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return every named group with its served versions, in order of appearance."""
        found: dict[str, dict[str, None]] = {}
        for kind in self._kinds.values():
            for version in kind.versions:
                if kind.group and version.served:
                    found.setdefault(kind.group, {})[version.name] = None
        return {group: tuple(versions) for group, versions in found.items()}

    def at(self, group: str, version: str) -> list[tuple[Kind, Version]]:
        """Return the kinds served under one group and version."""
        return [
            (kind, each)
            for kind in self._kinds.values()
            for each in kind.versions
            if kind.group == group and each.name == version and each.served
        ]


def field_paths(*fields: str, **aliases: str) -> Mapping[str, str]:
    """Return the selectable fields of a kind: the common ones and these."""
    return MappingProxyType({**COMMON_FIELDS, **{field: field for field in fields}, **aliases})
