"""Settings to ports: what becomes of them, and what is told when something cannot be reached."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from heliograph import __version__
from heliograph.assembly.adapters import decision_settings, endpoint, open_cluster
from services.reconciler.decisions.settings import DecisionSettings
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
