"""How pods fare: delays and mishaps, told by rules that a person writes.

A scenario is a value: the first rule that fits a pod says how fast it comes up and what befalls it;
a pod that no rule fits is ready in 0.4 s and gone 0.2 s after its deletion. Nothing here is drawn
by chance. Spans are seconds, moments are RFC 3339. Read next: timeline.py, which reads the rules.
"""

from collections.abc import Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from sandbox.controllers.rayrules import RayScript
from sandbox.objects import Object, dig, metadata, name_of, namespace_of


class ContainerExit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A container's process ends: `after` seconds into a run, or `at` a moment.

    With `after`, the first `times` runs end so; with `at`, the run of that moment does.
    """

    container: str = "*"
    after: float | None = None
    at: datetime | None = None
    times: int = 1
    exit_code: int = 1
    reason: str = ""

    @property
    def told_reason(self) -> str:
        """Name the reason as the kubelet does when the rule names none."""
        return self.reason or ("Completed" if self.exit_code == 0 else "Error")


class LogLines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What containers (a glob) print: one line every so many seconds of a run, from its start."""

    container: str = "*"
    lines: tuple[str, ...] = ()
    every: float = 0.1


class PodRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens to the pods that fit `namespace`, `name` (globs) and `labels`."""

    namespace: str = "*"
    name: str = "*"
    labels: Mapping[str, str] = msgspec.field(default_factory=dict)
    schedule_after: float = 0.0
    init_after: float = 0.1
    run_after: float = 0.2
    ready_after: float = 0.2
    terminate_after: float = 0.2
    restart_after: float = 0.5
    exits: tuple[ContainerExit, ...] = ()
    evicted_after: float | None = None
    evicted_at: datetime | None = None
    evicted_because: str = "The node was low on resource: memory."
    image_pull_error: str = ""
    unschedulable: str = ""
    lost_node: bool = False
    never_ready: bool = False
    exit_code_on_stop: int = 143
    logs: tuple[LogLines, ...] = ()

    def fits(self, pod: Object) -> bool:
        """Tell whether the rule speaks of this pod."""
        labels = metadata(pod).get("labels") or {}
        return (
            fnmatchcase(namespace_of(pod), self.namespace)
            and fnmatchcase(name_of(pod), self.name)
            and all(labels.get(key) == value for key, value in self.labels.items())
        )

    @property
    def eventful(self) -> bool:
        """Tell whether anything still happens to a pod once it is ready."""
        return bool(
            self.exits
            or self.lost_node
            or self.never_ready
            or self.evicted_after is not None
            or self.evicted_at is not None
        )


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rules, first fit wins; the nodes that have stopped answering (globs); and Ray's part."""

    rules: tuple[PodRule, ...] = ()
    otherwise: PodRule = PodRule()
    lost_nodes: tuple[str, ...] = ()
    kubelet: bool = True
    default_node: str = "sandbox"
    ray: RayScript = RayScript()

    def rule_for(self, pod: Object) -> PodRule:
        """Find the rule for a pod."""
        return next((rule for rule in self.rules if rule.fits(pod)), self.otherwise)

    def node_lost(self, node: str) -> bool:
        """Tell whether a node has stopped answering."""
        return any(fnmatchcase(node, pattern) for pattern in self.lost_nodes)

    def pod_lost(self, pod: Object) -> bool:
        """Tell whether nobody looks after this pod any more."""
        return self.rule_for(pod).lost_node or self.node_lost(dig(pod, "spec.nodeName") or "")


class ScenarioError(ValueError):
    """A scenario document that cannot be read; the message names the place."""


def read_scenario(document: Any) -> Scenario:
    """Read a scenario from parsed YAML or JSON; an empty document is the calm default."""
    try:
        return msgspec.convert(document or {}, Scenario)
    except msgspec.ValidationError as error:
        raise ScenarioError(f"the scenario cannot be read: {error}") from error
