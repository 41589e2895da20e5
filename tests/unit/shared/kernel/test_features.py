"""Feature gates: defaults, settings, and sentences for mistakes."""

import pytest

from shared.kernel.features import (
    CRON_JOB,
    GATES,
    MTLS,
    STATUS_CONDITIONS,
    Features,
    parse_features,
)


def test_nothing_asked_gives_the_defaults() -> None:
    assert parse_features("") == Features()


def test_defaults_are_the_settled_features() -> None:
    assert Features().enabled == {
        "RayClusterStatusConditions",
        "RayJobDeletionPolicy",
        "RayMultiHostIndexing",
        "RayServiceIncrementalUpgrade",
    }


def test_sets_what_is_named_and_leaves_the_rest() -> None:
    features = parse_features(f" {MTLS}=true, {STATUS_CONDITIONS}=F ,")

    assert features.enabled == (Features().enabled | {MTLS}) - {STATUS_CONDITIONS}


def test_the_last_setting_of_a_gate_counts() -> None:
    assert parse_features(f"{MTLS}=true,{MTLS}=false") == Features()


def test_sets_a_whole_stage_but_for_the_named_gates() -> None:
    features = parse_features(f"AllAlpha=true,AllBeta=false,{CRON_JOB}=false")

    alpha = {name for name, gate in GATES.items() if gate.stage == "Alpha"}
    assert features.enabled == alpha - {CRON_JOB}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "RayClusterMtls=true",
            "unknown feature gate 'RayClusterMtls': did you mean RayClusterMTLS?",
        ),
        ("RayClusterMTLS", "'RayClusterMTLS' has no value: write RayClusterMTLS=true or"),
        ("RayClusterMTLS=yes", "RayClusterMTLS must be true or false, not 'yes'"),
        ("Zz=true", "unknown feature gate 'Zz': there are RayClusterStatusConditions, "),
    ],
)
def test_says_what_is_wrong(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="feature gate") as refused:
        parse_features(text)

    assert sentence in str(refused.value)
