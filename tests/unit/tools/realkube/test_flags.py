"""What the programs are told: loopback only, RBAC, keys from one place."""

from pathlib import Path

import pytest

from tools.realkube import flags
from tools.realkube.certificates import Certificates
from tools.realkube.flags import Audit, Ports

PORTS = Ports(etcd=2000, api=3000)
CERTIFICATES = Certificates(folder=Path("/keys"))
AUDIT = Audit(policy="/policy", log="/log")


def test_etcd_listens_on_loopback_and_waits_for_no_disk() -> None:
    assert flags.etcd(PORTS, "/data") == (
        "--data-dir=/data",
        "--listen-client-urls=http://127.0.0.1:2000",
        "--advertise-client-urls=http://127.0.0.1:2000",
        "--listen-peer-urls=http://127.0.0.1:0",
        "--unsafe-no-fsync=true",
        "--log-level=warn",
    )


@pytest.mark.parametrize(
    "word",
    [
        "--etcd-servers=http://127.0.0.1:2000",
        "--bind-address=127.0.0.1",
        "--secure-port=3000",
        "--authorization-mode=RBAC",
        "--client-ca-file=/keys/authority.crt",
        "--tls-private-key-file=/keys/server.key",
        "--audit-policy-file=/policy",
        "--audit-log-path=/log",
    ],
)
def test_the_api_server_listens_on_loopback_and_asks_who_is_there(word: str) -> None:
    assert word in flags.api_server(PORTS, CERTIFICATES, AUDIT)


@pytest.mark.parametrize("option", ["admission", "feature-gates", "runtime-config", "watch-cache"])
def test_the_api_server_keeps_the_defaults_that_decide_its_behaviour(option: str) -> None:
    assert [word for word in flags.api_server(PORTS, CERTIFICATES, AUDIT) if option in word] == []


def test_whoever_signs_tokens_is_whom_the_api_server_believes() -> None:
    told = (
        *flags.api_server(PORTS, CERTIFICATES, AUDIT),
        *flags.controllers(CERTIFICATES, "/kubeconfig"),
    )

    keys = {word.partition("=")[2] for word in told if word.startswith("--service-account-")}

    assert keys == {"/keys/service-accounts.key", flags.ISSUER}


def test_all_controllers_run_but_those_of_nodes() -> None:
    told = flags.controllers(CERTIFICATES, "/kubeconfig")

    assert (
        "--controllers=*,-node-ipam-controller,-node-lifecycle-controller"
        ",-taint-eviction-controller"
    ) in told
