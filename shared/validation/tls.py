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
    opened,
    shut,
)
from shared.validation.rule import Rule

_OPTIONS = "spec.tlsOptions"
_VARIABLES = ("RAY_USE_TLS", "RAY_TLS_SERVER_CERT", "RAY_TLS_SERVER_KEY", "RAY_TLS_CA_CERT")
_VOLUME = "ray-tls"
_PATH = "/etc/ray/tls"
_SET = "when tlsOptions is set - the operator manages TLS configuration"
_OURS = "remove it: the operator sets it"

GATED = Rule(
    id="RayCluster.tls-gate",
    path=_OPTIONS,
    text=f"{_OPTIONS} requires the {MTLS} feature gate to be enabled",
    hint=opened(MTLS),
)
ENV_MANAGED = Rule(
    id="RayCluster.tls-env",
    path="{place}.env",
    text=f"cannot set {{name}} environment variable in {{named}} {_SET} automatically",
    hint=_OURS,
)
AUTOSCALER_ENV_MANAGED = Rule(
    id="RayCluster.tls-autoscaler-env",
    path="{place}.env",
    text=(
        f"cannot set {{name}} environment variable in autoscalerOptions.env {_SET} for the "
        "autoscaler automatically"
    ),
    hint=_OURS,
)
MOUNT_NAME = Rule(
    id="RayCluster.tls-mount-name",
    path="{place}.volumeMounts",
    text=f'cannot use volume mount named "{_VOLUME}" in {{named}} {_SET} automatically',
    hint="choose another name for the volume",
)
MOUNT_PATH = Rule(
    id="RayCluster.tls-mount-path",
    path="{place}.volumeMounts",
    text=f'cannot use volume mount at path "{_PATH}" in {{named}} {_SET} automatically',
    hint="mount it elsewhere",
)


class _Place(Struct, frozen=True, kw_only=True):
    """A container that gets TLS, and how messages speak of it."""

    path: str
    env: Sequence[Raw]
    mounts: Sequence[Raw]
    name: str
    mounts_name: str
    env_rule: Rule = ENV_MANAGED


def tls_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the TLS options; a shut gate ends the search."""
    if cluster.spec.tls_options is not None and shut(features, MTLS):
        yield GATED.found()
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
        name = f'worker group "{group.group_name}"'
        yield _container(container_path(index), ray_container(group), name)
    options = cluster.spec.autoscaler_options
    if options is not None:
        yield _Place(
            path="spec.autoscalerOptions",
            env=options.env,
            mounts=options.volume_mounts,
            name="autoscalerOptions",
            mounts_name="autoscalerOptions.volumeMounts",
            env_rule=AUTOSCALER_ENV_MANAGED,
        )


def _container(path: str, container: Raw, name: str) -> _Place:
    return _Place(
        path=path,
        env=entries_at(container, "env"),
        mounts=entries_at(container, "volumeMounts"),
        name=name,
        mounts_name=name,
    )


def _variable_rules(place: _Place) -> Problems:
    for name in _VARIABLES:
        if named(place.env, name) is not None:
            yield place.env_rule.found(place=place.path, named=place.name, name=name)


def _mount_rules(place: _Place) -> Problems:
    if named(place.mounts, _VOLUME) is not None:
        yield MOUNT_NAME.found(place=place.path, named=place.mounts_name)
    if any(at.get("mountPath") == _PATH for at in place.mounts):
        yield MOUNT_PATH.found(place=place.path, named=place.mounts_name)
