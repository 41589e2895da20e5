"""The operator's settings of a recorded day, to run its services with once more.

An act names its settings by digest, and the log holds them as decisions know them; services are
built from settings as people write them. Invariant: read back and forth they are the same, but for
the version of the product, which is today's.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from heliograph.simulator.choices import choices
from services.reconciler.decisions.settings import DecisionSettings
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.kernel.manifests import thawed
from shared.runtime.failures import SettingsError
from shared.runtime.options import BUDGETS, DECISIONS, JOBS, PODS
from shared.runtime.reading import read_settings
from shared.runtime.settings import BusSettings, RuleSettings, Settings

CHANGEABLE = (*DECISIONS, *JOBS, *PODS, *BUDGETS)
"""What a question may ask to be set otherwise."""


def settings_then(records: Iterable[Record]) -> Settings:
    """Return the settings that the last act among the records was decided with."""
    known: dict[str, Mapping[str, object]] = {}
    last = ""
    for record in records:
        body = record.envelope.body
        if isinstance(body, SettingsUsed):
            known[body.digest] = body.settings
        elif isinstance(body, Decided):
            last = body.settings
    if last not in known:
        return Settings()
    return as_written(msgspec.convert(known[last], DecisionSettings))


def as_written(decided: DecisionSettings) -> Settings:
    """Return settings as people write them, from what decisions knew of them."""
    made, jobs = decided.manifests, decided.of_jobs
    rules = RuleSettings(
        feature_gates=decided.features,
        cluster_domain=made.cluster_domain,
        enable_probes_injection=made.injects_probes,
        enable_init_container_injection=made.injects_init_containers,
        enable_login_shell=made.login_shell,
        enable_ray_head_cluster_ip_service=made.head_cluster_ip_service,
        enable_deterministic_head_pod_name=made.deterministic_head_pod_name,
        enable_random_pod_delete=decided.random_pod_delete,
        enable_gcs_ft_redis_cleanup=decided.redis_cleanup,
        batch_scheduler=made.scheduler,
        openshift=decided.openshift_routes is True,
        delete_rayjob_after_finish=jobs.delete_after_finish,
        rayjob_transition_grace_seconds=int(jobs.transition_grace.total_seconds()),
        rayjob_status_check_timeout_seconds=int(jobs.status_check_timeout.total_seconds()),
        cron_catch_up=jobs.cron_catch_up,
        enable_zero_downtime=decided.zero_downtime,
        head_sidecar_containers=tuple(map(thawed, made.head_sidecars)),
        worker_sidecar_containers=tuple(map(thawed, made.worker_sidecars)),
        default_container_envs=tuple(map(thawed, made.default_container_envs)),
        default_pod_labels=dict(made.default_pod_labels),
        default_pod_annotations=dict(made.default_pod_annotations),
    )
    return Settings(bus=BusSettings(log_retention=decided.refresh_after * 3), rules=rules)


def changed(settings: Settings, wishes: Mapping[str, str]) -> Settings:
    """Return settings with some set otherwise, by their flags; raise SettingsError if wrong."""
    options = {option.flag.removeprefix("--"): option for option in CHANGEABLE}
    for name in wishes:
        if name.removeprefix("--") not in options:
            told = choices(name.removeprefix("--"), options)
            raise SettingsError(f"{name}: no such setting of the rules ({told})")
    chosen = {options[name.removeprefix("--")]: text for name, text in wishes.items()}
    read = read_settings({option.name: text for option, text in chosen.items()}, {}, member="")
    rules, budgets = settings.rules, settings.budgets
    for option in chosen:
        if hasattr(rules, option.name):
            rules = replace(rules, **{option.name: getattr(read.rules, option.name)})
        else:
            budgets = replace(budgets, **{option.name: getattr(read.budgets, option.name)})
    return replace(settings, rules=rules, budgets=budgets)
