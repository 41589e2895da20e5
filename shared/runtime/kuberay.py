"""KubeRay's own flags, variables and fields of its configuration file, and what becomes of each.

Some are ours under another name and are translated. Some have no meaning here: they are taken, so
that a Deployment can be carried over, and told of once in the log with the reason. One row each;
`shared.runtime.configuration` reads the file, `shared.runtime.reading` says who wins.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct

Translate = Callable[[str], Mapping[str, str]]
"""A user's text to the texts of our options."""


class Form(StrEnum):
    """What a setting holds, as Go's types have it."""

    TEXT = "a text"
    TRUTH = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"


class Theirs(Struct, frozen=True, kw_only=True):
    """One setting of KubeRay: how it is called, and what it does here."""

    flag: str = ""
    field: str = ""
    form: Form = Form.TEXT
    translate: Translate | None = None
    because: str = ""
    """Why it has no effect, to go after "has no effect here, because"."""

    @property
    def argument(self) -> str:
        """The flag's name among parsed arguments."""
        return self.flag.replace("-", "_")


class Notice(Struct, frozen=True, kw_only=True):
    """Something that was set and does nothing."""

    setting: str
    because: str


def _address(text: str) -> Mapping[str, str]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit():
        raise ValueError(f"must be an address like :8080 or 127.0.0.1:8080, not {text!r}")
    chosen = {"http_port": port}
    return {**chosen, "http_host": host.strip("[]")} if host else chosen


def _encoder(text: str) -> Mapping[str, str]:
    forms = {"json": "json", "console": "text"}
    if text not in forms:
        raise ValueError(f"must be json or console, not {text!r}")
    return {"log_format": forms[text]}


def _level(text: str) -> Mapping[str, str]:
    words = {"debug": "debug", "info": "info", "error": "error", "panic": "error"}
    if text.isascii() and text.isdigit() and int(text):
        return {"log_level": "debug"}
    if text.lower() not in words:
        raise ValueError(f"must be debug, info, error, panic or a number above 0, not {text!r}")
    return {"log_level": words[text.lower()]}


def _same(option: str) -> Translate:
    return lambda text: {option: text}


_ELECTION = "no leader is elected: any number of replicas work side by side"
_FILES = "log lines go to standard error, for the platform to collect"
_LINES = "log lines have one shape; --log-format chooses json or text"
THEIRS: tuple[Theirs, ...] = (
    Theirs(flag="metrics-addr", field="metricsAddr", translate=_address),
    Theirs(
        flag="health-probe-bind-address",
        field="probeAddr",
        because="/healthz and /readyz are on the port of /metrics (--http-port)",
    ),
    Theirs(
        flag="enable-leader-election",
        field="enableLeaderElection",
        form=Form.TRUTH,
        because=_ELECTION,
    ),
    Theirs(flag="leader-election-namespace", field="leaderElectionNamespace", because=_ELECTION),
    Theirs(
        flag="reconcile-concurrency",
        field="reconcileConcurrency",
        form=Form.WHOLE,
        because="resources never wait for each other; start more replicas of what is busy",
    ),
    Theirs(field="watchNamespace", translate=_same("watch_namespace")),
    Theirs(flag="log-file-path", field="logFile", because=_FILES),
    Theirs(flag="log-file-encoder", field="logFileEncoder", because=_FILES),
    Theirs(flag="log-stdout-encoder", field="logStdoutEncoder", translate=_encoder),
    Theirs(
        field="enableBatchScheduler",
        form=Form.TRUTH,
        translate=_same("enable_batch_scheduler"),
    ),
    Theirs(field="batchScheduler", translate=_same("batch_scheduler")),
    Theirs(
        field="useKubernetesProxy",
        form=Form.TRUTH,
        translate=_same("use_kubernetes_proxy"),
    ),
    Theirs(
        flag="enable-metrics",
        field="enableMetrics",
        form=Form.TRUTH,
        because="metrics are always there",
    ),
    Theirs(field="qps", form=Form.NUMBER, translate=_same("qps")),
    Theirs(field="burst", form=Form.WHOLE, translate=_same("burst")),
    Theirs(
        flag="forced-cluster-upgrade",
        form=Form.TRUTH,
        because="KubeRay itself gave it up: spec.upgradeStrategy says how a cluster is upgraded",
    ),
    Theirs(
        field="deleteRayJobAfterJobFinishes",
        form=Form.TRUTH,
        because="KubeRay never looks at it either: DELETE_RAYJOB_CR_AFTER_JOB_FINISHES counts",
    ),
    Theirs(flag="zap-log-level", translate=_level),
    Theirs(flag="zap-devel", form=Form.TRUTH, because=_LINES),
    Theirs(flag="zap-encoder", because=_LINES),
    Theirs(flag="zap-stacktrace-level", because=_LINES),
    Theirs(flag="zap-time-encoding", because=_LINES),
)
PODS: Mapping[str, str] = MappingProxyType(
    {
        "headSidecarContainers": "head_sidecar_containers",
        "workerSidecarContainers": "worker_sidecar_containers",
        "defaultContainerEnvs": "default_container_envs",
        "defaultPodLabels": "default_pod_labels",
        "defaultPodAnnotations": "default_pod_annotations",
    }
)
"""Fields of the file that hold parts of pods, and our options of the same meaning."""
VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV": (
            "nothing is looked at again for its own sake: timers stand in the log"
        ),
        "ENABLE_WEBHOOKS": "the webhook is a service of its own: heliograph run webhook",
    }
)
"""Variables of KubeRay that have no effect here, and why."""


def translated(flags: Mapping[str, object]) -> dict[str, tuple[str, str]]:
    """Return what KubeRay's flags say of our options, each with the flag that said it.

    A text that cannot be translated raises ValueError, told under the name of the flag.
    """
    found: dict[str, tuple[str, str]] = {}
    for theirs, text in _given(flags):
        if theirs.translate is None:
            continue
        try:
            texts = theirs.translate(text)
        except ValueError as error:
            raise ValueError(f"--{theirs.flag}: {error}") from None
        found.update({option: (f"--{theirs.flag}", one) for option, one in texts.items()})
    return found


def notices(flags: Mapping[str, object], environment: Mapping[str, str]) -> Iterator[Notice]:
    """Yield what was set on the command line or in the environment and has no effect."""
    for theirs, _ in _given(flags):
        if theirs.because:
            yield Notice(setting=f"--{theirs.flag}", because=theirs.because)
    for variable, because in VARIABLES.items():
        if environment.get(variable):
            yield Notice(setting=variable, because=because)


def _given(flags: Mapping[str, object]) -> Iterator[tuple[Theirs, str]]:
    for theirs in THEIRS:
        value = flags.get(theirs.argument) if theirs.flag else None
        if value is not None:
            yield theirs, str(value)
