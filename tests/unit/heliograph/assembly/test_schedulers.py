"""The chosen batch scheduler reaches whoever decides and whoever watches."""

import pytest
from msgspec import UNSET

from heliograph.assembly.adapters import decision_settings
from shared.kernel.features import WORKLOAD_AWARE_SCHEDULING, Features
from shared.kernel.schedulers import KUBERNETES_WAS, VOLCANO, YUNIKORN
from shared.runtime.settings import BusSettings, RuleSettings

WAS = Features(enabled=frozenset({WORKLOAD_AWARE_SCHEDULING}))


@pytest.mark.parametrize(
    ("rules", "scheduler"),
    [
        (RuleSettings(batch_scheduler=YUNIKORN), YUNIKORN),
        (RuleSettings(enable_batch_scheduler=True), VOLCANO),
        (RuleSettings(feature_gates=WAS), KUBERNETES_WAS),
    ],
)
def test_a_choice_is_known_to_decisions_and_to_what_is_watched(
    rules: RuleSettings, scheduler: str
) -> None:
    settings = decision_settings(rules, BusSettings())

    assert settings.manifests.batch_scheduler == scheduler
    assert settings.surroundings.batch_scheduler == scheduler


def test_no_choice_leaves_no_trace_in_the_settings() -> None:
    settings = decision_settings(RuleSettings(), BusSettings())

    assert settings.manifests.batch_scheduler is UNSET
    assert not settings.surroundings.batch_scheduler


def test_choices_that_exclude_each_other_are_refused() -> None:
    rules = RuleSettings(batch_scheduler=VOLCANO, feature_gates=WAS)

    with pytest.raises(ValueError, match="the KubernetesWAS feature gate cannot be combined"):
        decision_settings(rules, BusSettings())
