"""The custom resource definitions of our kinds, made from their models.

Group, names, versions, columns and categories are those that KubeRay's users have; the schemas come
from `shared.resources.schema`. The files in `deploy/crds` are written by `tools/generate_crds.py`,
and a test fails when one is stale. How they compare with KubeRay's: `tools/compare_crds.py`.
"""

from functools import cache

from msgspec import Struct

from shared.kernel.manifests import Raw, thawed
from shared.resources import columns, old_version
from shared.resources.columns import Column, shown
from shared.resources.job_status import RayJobStatus
from shared.resources.old_version import Old, narrowed
from shared.resources.raycluster import KIND as RAYCLUSTER
from shared.resources.raycluster import RayClusterSpec
from shared.resources.raycronjob import KIND as RAYCRONJOB
from shared.resources.raycronjob import RayCronJobSpec, RayCronJobStatus
from shared.resources.rayjob import KIND as RAYJOB
from shared.resources.rayjob import RayJobSpec
from shared.resources.rayservice import KIND as RAYSERVICE
from shared.resources.rayservice import RayServiceSpec
from shared.resources.resource import GROUP, OLD_VERSION, VERSION
from shared.resources.schema import structural
from shared.resources.service_status import RayServiceStatus
from shared.resources.status import RayClusterStatus
from shared.resources.written import Written

Schema = dict[str, object]


class Kind(Struct, frozen=True, kw_only=True):
    """What a definition needs to know of a kind."""

    name: str
    described: str
    spec: type[Written]
    status: type[Written]
    columns: tuple[Column, ...]
    old: Old | None = None
    old_columns: tuple[Column, ...] = ()

    @property
    def plural(self) -> str:
        """Its name in addresses."""
        return f"{self.name.lower()}s"


_KINDS = (
    Kind(
        name=RAYCLUSTER,
        described="A Ray cluster: one head, and groups of workers.",
        spec=RayClusterSpec,
        status=RayClusterStatus,
        columns=columns.RAYCLUSTER,
        old=old_version.RAYCLUSTER,
        old_columns=columns.RAYCLUSTER,
    ),
    Kind(
        name=RAYJOB,
        described="A job for Ray, and the cluster that it runs on.",
        spec=RayJobSpec,
        status=RayJobStatus,
        columns=columns.RAYJOB,
        old=old_version.RAYJOB,
    ),
    Kind(
        name=RAYSERVICE,
        described="Applications for Ray Serve, and the cluster that serves them.",
        spec=RayServiceSpec,
        status=RayServiceStatus,
        columns=columns.RAYSERVICE,
        old=old_version.RAYSERVICE,
    ),
    Kind(
        name=RAYCRONJOB,
        described="A job for Ray that runs again and again, by a schedule.",
        spec=RayCronJobSpec,
        status=RayCronJobStatus,
        columns=columns.RAYCRONJOB,
    ),
)


def definitions() -> tuple[dict[str, object], ...]:
    """Return the definitions of all our kinds, as the API server takes them."""
    return tuple(_definition(kind) for kind in _KINDS)


@cache
def spec_schema(name: str) -> Raw:
    """Return the schema of a kind's spec in the current version."""
    return structural(next(kind.spec for kind in _KINDS if kind.name == name))


def _definition(kind: Kind) -> dict[str, object]:
    versions = [_current_version(kind)]
    if kind.old:
        versions.append(_old_version(kind, kind.old))
    return thawed(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{kind.plural}.{GROUP}"},
            "spec": {
                "group": GROUP,
                "names": {
                    "categories": ["all"],
                    "kind": kind.name,
                    "listKind": f"{kind.name}List",
                    "plural": kind.plural,
                    "singular": kind.name.lower(),
                },
                "scope": "Namespaced",
                "versions": versions,
            },
        }
    )


def _current_version(kind: Kind) -> Schema:
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        **shown(kind.columns),
        "schema": _root(kind, spec_schema(kind.name), structural(kind.status)),
    }


def _old_version(kind: Kind, old: Old) -> Schema:
    spec = narrowed(spec_schema(kind.name), old.spec)
    status = narrowed(structural(kind.status), old.status)
    return {
        "name": OLD_VERSION,
        "served": True,
        "storage": False,
        "deprecated": True,
        "deprecationWarning": (
            f"{GROUP}/{OLD_VERSION} {kind.name} is deprecated and takes no new fields: "
            f"write {GROUP}/{VERSION}"
        ),
        "subresources": {"status": {}},
        **shown(kind.old_columns),
        "schema": _root(kind, spec, status),
    }


def _root(kind: Kind, spec: Raw, status: Raw) -> Schema:
    properties = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": spec,
        "status": status,
    }
    return {
        "openAPIV3Schema": {
            "type": "object",
            "description": kind.described,
            "properties": properties,
        }
    }
