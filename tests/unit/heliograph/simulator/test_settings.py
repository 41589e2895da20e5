"""Settings of a recorded day come back as they were, and can be set otherwise."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.assembly.adapters import decision_settings
from heliograph.simulator.settings import as_written, changed, settings_then
from shared.kernel.features import CRON_JOB, parse_features
from shared.runtime.failures import SettingsError
from shared.runtime.settings import BusSettings, RuleSettings, Settings
from tests.contract.test_histories import HISTORIES, records_of

UNUSUAL = RuleSettings(
    feature_gates=parse_features(f"{CRON_JOB}=true"),
    cluster_domain="example.org",
    enable_login_shell=True,
    enable_random_pod_delete=True,
    enable_gcs_ft_redis_cleanup=False,
    batch_scheduler="volcano",
    openshift=True,
    rayjob_transition_grace_seconds=7,
    enable_zero_downtime=False,
    default_container_envs=({"name": "A", "value": "1"},),
    default_pod_labels={"team": "blue"},
)


@pytest.mark.parametrize("rules", [RuleSettings(), UNUSUAL])
def test_what_decisions_know_is_the_same_back_and_forth(rules: RuleSettings) -> None:
    bus = BusSettings(log_retention=timedelta(days=3))
    known = decision_settings(rules, bus)

    again = as_written(known)

    assert decision_settings(again.rules, again.bus) == known


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_tells_its_settings(name: str) -> None:
    found = settings_then(records_of(name))

    assert found.rules.cluster_domain == "cluster.local"
    assert found.bus.log_retention == timedelta(days=7)


def test_a_log_without_settings_has_the_usual_ones() -> None:
    assert settings_then(()) == Settings()


def test_settings_are_changed_by_their_flags() -> None:
    before = Settings(rules=replace(RuleSettings(), cluster_domain="example.org"))

    after = changed(before, {"enable-random-pod-delete": "true", "budget-resource": "3"})

    assert after.rules == replace(before.rules, enable_random_pod_delete=True)
    assert after.budgets.budget_resource == 3


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"nats-url": "nats://elsewhere"}, "nats-url: no such setting of the rules"),
        ({"budget-resource": "many"}, "--budget-resource: must be"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(wishes: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingsError) as told:
        changed(Settings(), wishes)

    assert str(told.value).startswith(sentence)
