"""Gates that a cluster must be new enough for, asked once at the start.

A feature that Kubernetes itself cannot do would fail later, pod by pod: better one sentence now.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from shared.kernel.features import SIDECAR_SUBMITTER_RESTART, Features
from shared.kube.session import Call, Session
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable
from shared.runtime.failures import FatalError

NEEDS: Mapping[str, tuple[int, int]] = MappingProxyType({SIDECAR_SUBMITTER_RESTART: (1, 35)})
"""The first version of Kubernetes that each gate works with."""


class _Version(msgspec.Struct, frozen=True):
    major: str = ""
    minor: str = ""


async def check_gates(session: Session, features: Features) -> None:
    """Raise FatalError if a gate is open that this Kubernetes is too old for."""
    asked = {gate: first for gate, first in NEEDS.items() if features.on(gate)}
    if not asked:
        return
    found = await _version(session)
    for gate, first in asked.items():
        if found < first:
            raise FatalError(
                f"feature gate {gate} needs Kubernetes {_print(first)} or newer, and this is "
                f"{_print(found)}: set {gate}=false (--feature-gates)"
            )


async def _version(session: Session) -> tuple[int, int]:
    try:
        body = await session.read(Call(method="GET", path="/version"))
        said = msgspec.json.decode(body, type=_Version)
    except (ClusterUnavailable, ClusterRefusal, msgspec.DecodeError) as problem:
        raise FatalError(f"Kubernetes does not say which version it is: {problem}") from problem
    return _number(said.major), _number(said.minor)


def _number(text: str) -> int:
    """Read `35`, or `35+` as some clouds write it."""
    digits = re.match(r"\d+", text)
    return int(digits.group()) if digits else 0


def _print(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"
