"""Feature gates: which there are, what they are by default, how a user sets them.

Names, stages and defaults are KubeRay's, so that a `--feature-gates` flag can be carried over. A
name or value that nobody knows is an error with the known ones in it, never ignored.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct


class Stage(StrEnum):
    """How settled a feature is; `AllAlpha` and `AllBeta` address gates by it."""

    ALPHA = "Alpha"
    BETA = "Beta"


class Gate(Struct, frozen=True, kw_only=True):
    """One feature that can be switched."""

    stage: Stage
    enabled: bool
    guards: str


STATUS_CONDITIONS = "RayClusterStatusConditions"
JOB_DELETION_POLICY = "RayJobDeletionPolicy"
MULTI_HOST_INDEXING = "RayMultiHostIndexing"
INCREMENTAL_UPGRADE = "RayServiceIncrementalUpgrade"
CRON_JOB = "RayCronJob"
SIDECAR_SUBMITTER_RESTART = "SidecarSubmitterRestart"
NETWORK_POLICY = "RayClusterNetworkPolicy"
EMBEDDED_STORAGE = "GCSFaultToleranceEmbeddedStorage"
MTLS = "RayClusterMTLS"
HISTORY_SERVER = "RayClusterHistoryServer"
WORKLOAD_AWARE_SCHEDULING = "KubernetesWAS"


def _beta(guards: str) -> Gate:
    return Gate(stage=Stage.BETA, enabled=True, guards=guards)


def _alpha(guards: str) -> Gate:
    return Gate(stage=Stage.ALPHA, enabled=False, guards=guards)


GATES: Mapping[str, Gate] = MappingProxyType(
    {
        STATUS_CONDITIONS: _beta("conditions in the status of a RayCluster"),
        JOB_DELETION_POLICY: _beta("deletion rules of a RayJob, and suspending one worker group"),
        MULTI_HOST_INDEXING: _beta("replica and host indices as labels of worker pods"),
        INCREMENTAL_UPGRADE: _beta("RayService upgrades that move traffic step by step"),
        CRON_JOB: _alpha("the RayCronJob kind"),
        SIDECAR_SUBMITTER_RESTART: _alpha("restarting the submitter of a sidecar-mode RayJob"),
        NETWORK_POLICY: _alpha("spec.networkPolicy of a RayCluster"),
        EMBEDDED_STORAGE: _alpha("the rocksdb backend of GCS fault tolerance"),
        MTLS: _alpha("spec.tlsOptions of a RayCluster"),
        HISTORY_SERVER: _alpha("spec.historyServerOptions of a RayCluster"),
        WORKLOAD_AWARE_SCHEDULING: _alpha("gang scheduling by Kubernetes itself"),
    }
)
_WHOLE_STAGES = MappingProxyType({"AllAlpha": Stage.ALPHA, "AllBeta": Stage.BETA})
_WORDS = MappingProxyType(
    dict.fromkeys(("1", "t", "T", "true", "True", "TRUE"), True)
    | dict.fromkeys(("0", "f", "F", "false", "False", "FALSE"), False)
)


class Features(Struct, frozen=True, kw_only=True):
    """The gates that are open; the rest are shut."""

    enabled: frozenset[str] = frozenset(name for name, gate in GATES.items() if gate.enabled)

    def on(self, name: str) -> bool:
        """Whether the gate is open."""
        return name in self.enabled


def parse_features(text: str) -> Features:
    """Read `Name=true,Other=false`; raise ValueError with a sentence for a person.

    `AllAlpha` and `AllBeta` set a whole stage, except the gates that are named themselves.
    """
    asked = dict(_setting(part.strip()) for part in text.split(",") if part.strip())
    stages = {_WHOLE_STAGES[name]: on for name, on in asked.items() if name in _WHOLE_STAGES}
    states = {
        name: asked.get(name, stages.get(gate.stage, gate.enabled)) for name, gate in GATES.items()
    }
    return Features(enabled=frozenset(name for name, on in states.items() if on))


def _setting(part: str) -> tuple[str, bool]:
    name, equals, word = (piece.strip() for piece in part.partition("="))
    if not equals:
        raise ValueError(f"feature gate {name!r} has no value: write {name}=true or {name}=false")
    if name not in GATES and name not in _WHOLE_STAGES:
        raise ValueError(f"unknown feature gate {name!r}: {_advice(name)}")
    if word not in _WORDS:
        raise ValueError(f"feature gate {name} must be true or false, not {word!r}")
    return name, _WORDS[word]


def _advice(name: str) -> str:
    close = get_close_matches(name, GATES, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}there are {', '.join(GATES)}"
