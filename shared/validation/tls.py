"""Rules about mutual TLS: its variables and mounts are ours to set."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from shared.kernel.features import MTLS, Features
from shared.kernel.manifests import Raw, entries_at, named
from shared.resources.predicates import mutual_tls, ray_container
from shared.resources.raycluster import RayCluster
from shared.validation.findings import (
    HEAD_CONTAINER,
    Problems,
    container_path,
    refused,
    shut,
)

_VARIABLES = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_VOLUME = "ray-tls"
_PATH = "/etc/ray/tls"
_MANAGED = "when tlsOptions is set - the operator manages TLS configuration"


class _Place(Struct, frozen=True, kw_only=True):
    """A container that gets TLS, and how messages speak of its parts."""

    path: str
    env: Sequence[Raw]
    mounts: Sequence[Raw]
    env_in: str
    mounts_in: str
    managed: str = f"{_MANAGED} automatically"


def tls_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the TLS options; a shut gate ends the search."""
    if cluster.spec.tls_options is not None and shut(features, MTLS):
        path = "spec.tlsOptions"
        yield refused(path, f"{path} requires the {MTLS} feature gate to be enabled")
    if not mutual_tls(cluster, features):
        return
    places = tuple(_places(cluster))
    for place in places:
        yield from _variable_rules(place)
    for place in places:
        yield from _mount_rules(place)


def _places(cluster: RayCluster) -> Iterator[_Place]:
    yield _container(HEAD_CONTAINER, ray_container(cluster.head), "head Pod")
    for index, group in enumerate(cluster.groups):
        place = f'worker group "{group.group_name}"'
        yield _container(container_path(index), ray_container(group), place)
    options = cluster.spec.autoscaler_options
    if options is not None:
        yield _Place(
            path="spec.autoscalerOptions",
            env=options.env,
            mounts=options.volume_mounts,
            env_in="autoscalerOptions.env",
            mounts_in="autoscalerOptions.volumeMounts",
            managed=f"{_MANAGED} for the autoscaler automatically",
        )


def _container(path: str, container: Raw, place: str) -> _Place:
    return _Place(
        path=path,
        env=entries_at(container, "env"),
        mounts=entries_at(container, "volumeMounts"),
        env_in=place,
        mounts_in=place,
    )


def _variable_rules(place: _Place) -> Problems:
    for name in _VARIABLES:
        if named(place.env, name) is not None:
            told = f"cannot set {name} environment variable in {place.env_in}"
            yield refused(f"{place.path}.env", f"{told} {place.managed}")


def _mount_rules(place: _Place) -> Problems:
    path = f"{place.path}.volumeMounts"
    end = f"in {place.mounts_in} {_MANAGED} automatically"
    if named(place.mounts, _VOLUME) is not None:
        yield refused(path, f'cannot use volume mount named "{_VOLUME}" {end}')
    if any(at.get("mountPath") == _PATH for at in place.mounts):
        yield refused(path, f'cannot use volume mount at path "{_PATH}" {end}')
