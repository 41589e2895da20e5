"""What is not refused but should be known: fields that do nothing or will go.

Pure. That a whole version is old is told by the API server itself, from the definition.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from shared.kernel.manifests import Raw, value_at
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from shared.validation.scaling import restart_policy_warning

_OLD_DELETION = "is deprecated: write spec.deletionStrategy.deletionRules"
_IGNORED = "is deprecated and ignored"
DEPRECATED: Mapping[str, Mapping[tuple[str, ...], str]] = MappingProxyType(
    {
        "RayJob": {
            ("spec", "deletionStrategy", "onSuccess"): _OLD_DELETION,
            ("spec", "deletionStrategy", "onFailure"): _OLD_DELETION,
        },
        "RayService": {
            ("spec", "serviceUnhealthySecondThreshold"): _IGNORED,
            ("spec", "deploymentUnhealthySecondThreshold"): _IGNORED,
        },
    }
)


def cautions(kind: str, raw: Raw) -> Iterator[str]:
    """Yield a sentence for everything that its writer should know."""
    for path, sentence in DEPRECATED.get(kind, {}).items():
        if value_at(raw, *path) is not None:
            yield f"{'.'.join(path)} {sentence}"
    if kind == "RayCluster":
        cluster = read_raycluster(raw)
        warning = restart_policy_warning(cluster) if isinstance(cluster, RayCluster) else None
        if warning:
            yield warning
