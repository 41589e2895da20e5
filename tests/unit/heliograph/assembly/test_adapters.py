"""Settings to ports: what becomes of them, and what is told when something cannot be reached."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from heliograph import __version__
from heliograph.assembly.adapters import decision_settings, endpoint, open_cluster, shown
from services.reconciler.decisions.settings import DecisionSettings, JobSettings, digest_of
from services.reconciler.manifests.settings import ManifestSettings
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings, Inside, KubeSettings, RuleSettings


def test_servers_are_separated_by_commas() -> None:
    found = endpoint(BusSettings(nats_url="nats://a:1, nats://b:2"), "me")

    assert (found.servers, found.name) == (("nats://a:1", "nats://b:2"), "me")
    assert (found.credentials_file, found.tls) == (None, None)


def test_tls_files_that_cannot_be_used_are_named_with_their_flags(tmp_path: Path) -> None:
    missing = BusSettings(nats_ca=str(tmp_path / "nowhere.pem"))

    with pytest.raises(FatalError, match=r"TLS files for NATS cannot be used: .*--nats-ca"):
        endpoint(missing, "me")


def test_decisions_know_the_rules_and_a_third_of_the_retention() -> None:
    rules = replace(RuleSettings(), cluster_domain="here.local", enable_random_pod_delete=True)
    bus = replace(BusSettings(), log_retention=timedelta(days=3))

    assert decision_settings(rules, bus) == DecisionSettings(
        manifests=ManifestSettings(
            version=f"heliograph-{__version__}", cluster_domain="here.local"
        ),
        refresh_after=timedelta(days=1),
        random_pod_delete=True,
    )


async def test_a_kubeconfig_that_is_not_there_is_told_with_its_flag(tmp_path: Path) -> None:
    settings = KubeSettings(kubeconfig=str(tmp_path / "nowhere"), in_cluster=Inside.NEVER)

    with pytest.raises(FatalError, match=r"nowhere.*--kubeconfig"):
        async with open_cluster(settings, call_seconds=1):
            pass


def test_what_the_operator_gives_to_every_pod_reaches_those_who_make_pods() -> None:
    rules = RuleSettings(
        head_sidecar_containers=({"name": "h"},),
        worker_sidecar_containers=({"name": "w"},),
        default_container_envs=({"name": "A", "value": "1"},),
        default_pod_labels={"team": "ml"},
        default_pod_annotations={"note": "x"},
    )

    made = decision_settings(rules, BusSettings()).manifests

    assert (made.head_sidecars, made.worker_sidecars) == (({"name": "h"},), ({"name": "w"},))
    assert made.default_container_envs == ({"name": "A", "value": "1"},)
    assert (made.default_pod_labels, made.default_pod_annotations) == (
        {"team": "ml"},
        {"note": "x"},
    )


def test_openshift_has_routes_unless_ingresses_are_asked_for() -> None:
    here = RuleSettings(openshift=True)

    assert decision_settings(here, BusSettings()).surroundings.openshift_routes
    ingresses = replace(here, use_ingress_on_openshift=True)
    assert not decision_settings(ingresses, BusSettings()).surroundings.openshift_routes


def test_jobs_are_looked_after_as_told() -> None:
    rules = RuleSettings(
        delete_rayjob_after_finish=True,
        rayjob_transition_grace_seconds=0,
        rayjob_status_check_timeout_seconds=7,
        cron_catch_up=True,
    )

    assert decision_settings(rules, BusSettings()).of_jobs == JobSettings(
        delete_after_finish=True,
        transition_grace=timedelta(0),
        status_check_timeout=timedelta(seconds=7),
        cron_catch_up=True,
    )


def test_settings_that_say_nothing_new_keep_their_name_in_the_log() -> None:
    plain = DecisionSettings(manifests=ManifestSettings(version=f"heliograph-{__version__}"))

    assert digest_of(decision_settings(RuleSettings(), BusSettings())) == digest_of(plain)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("nats://op:hunter2@127.0.0.1:9", "nats://127.0.0.1:9"),
        ("nats://token@one:4222, tls://two:4222", "nats://one:4222,tls://two:4222"),
        ("op:hunter2@one", "one"),
        ("nats://one:4222", "nats://one:4222"),
    ],
)
def test_who_we_are_at_the_bus_is_not_shown(written: str, read: str) -> None:
    assert shown(written) == read
