"""All rules, in the order in which they are asked, for the reference page and its tests.

A rule stands beside the check that asks it; this file only goes and collects them, so a new rule
is on the page without another line here. A new file of rules is a line in `_FILES`.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType, ModuleType

from shared.validation import (
    auth,
    deletion_rules,
    embedded_storage,
    fault_tolerance,
    group_scaling,
    groups,
    history_server,
    incremental_upgrade,
    initializing_timeout,
    job_deletion,
    job_submission,
    network_policy,
    raycluster,
    raycronjob,
    rayjob,
    rayservice,
    runtime_env,
    scaling,
    tls,
    upgrade,
)
from shared.validation.rule import Layer, Rule

_FILES = (
    *(raycluster, groups, group_scaling, fault_tolerance, embedded_storage, scaling),
    *(history_server, auth, network_policy, tls, upgrade),
    *(rayjob, job_deletion, deletion_rules, job_submission, runtime_env),
    *(rayservice, initializing_timeout, incremental_upgrade),
    raycronjob,
)
_LAYERS = tuple(Layer)


def _of(module: ModuleType) -> Iterator[Rule]:
    return (value for value in vars(module).values() if isinstance(value, Rule))


RULES: Mapping[str, Rule] = MappingProxyType(
    {rule.id: rule for module in _FILES for rule in _of(module)}
)
"""Every rule by its id."""


def rules_of(kind: str) -> tuple[Rule, ...]:
    """Return the rules of a kind, layer by layer."""
    found = [rule for rule in RULES.values() if rule.kind == kind]
    return tuple(sorted(found, key=lambda rule: _LAYERS.index(rule.layer)))
