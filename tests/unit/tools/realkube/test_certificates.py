"""Certificates that one authority signed, for a server on loopback and for its clients."""

import shutil
import ssl
import stat
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.realkube.certificates import ADMIN, CLIENTS, Certificates, make_certificates
from tools.realkube.kubeconfig import kubeconfig, write_kubeconfig

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("realkube") / "certificates")


def handshake(made: Certificates, client: str) -> ssl.SSLObject:
    """Let a client and a server meet that ask for each other's certificate, without a network."""
    accepting = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=made.authority)
    accepting.verify_mode = ssl.CERT_REQUIRED
    accepting.load_cert_chain(made.certificate("server"), made.key("server"))
    calling = ssl.create_default_context(cafile=made.authority)
    calling.load_cert_chain(made.certificate(client), made.key(client))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = accepting.wrap_bio(to_server, to_client, server_side=True)
    caller = calling.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    for side in (caller, server, caller, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return server


@pytest.mark.parametrize(
    ("client", "subject"),
    [
        ("admin", {"organizationName": "system:masters", "commonName": "admin"}),
        ("controllers", {"commonName": "system:kube-controller-manager"}),
        ("kubelets", {"commonName": "kube-apiserver-kubelet-client"}),
    ],
)
def test_client_and_server_believe_each_other(
    made: Certificates, client: str, subject: dict[str, str]
) -> None:
    seen: Any = handshake(made, client).getpeercert()

    assert {name: value for ((name, value),) in seen["subject"]} == subject


def test_only_the_owner_may_read_the_keys(made: Certificates) -> None:
    names = ["authority", "server", "service-accounts", *CLIENTS]
    modes = {stat.S_IMODE(Path(made.key(name)).stat().st_mode) for name in names}

    assert modes == {0o600}


def test_a_kubeconfig_holds_all_that_a_client_needs(made: Certificates, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    write_kubeconfig(path, "https://127.0.0.1:3000", made, ADMIN)

    written = yaml.safe_load(path.read_text())

    assert written == kubeconfig("https://127.0.0.1:3000", made, ADMIN)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(made.folder) not in path.read_text()
