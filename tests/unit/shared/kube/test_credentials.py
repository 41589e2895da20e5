"""How to reach the API server, or one clear sentence why not."""

import logging
from pathlib import Path

import pytest
import yaml

from shared.kube.credentials import Credentials, Source, load
from shared.kube.errors import ConfigurationError

TOKEN_PLUGIN = """#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",'
echo ' "status": {"token": "from-the-plugin"}}'
"""


def write(path: Path, user: dict[str, object], **cluster: object) -> Source:
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1/", **cluster}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "here",
    }
    path.write_text(yaml.safe_dump(config))
    return Source(kubeconfig=str(path), in_cluster=False)


def plugin(folder: Path, program: str) -> dict[str, object]:
    path = folder / "plugin"
    path.write_text(program)
    path.chmod(0o700)
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": version, "command": str(path), "interactiveMode": "Never"}}


async def headers(credentials: Credentials) -> dict[str, str]:
    return {name.lower(): value for name, value in (await credentials.headers()).items()}


async def refused(source: Source) -> str:
    with pytest.raises(ConfigurationError) as raised:
        await load(source)
    return str(raised.value)


async def test_reads_address_and_token_from_a_kubeconfig(tmp_path: Path) -> None:
    credentials = await load(write(tmp_path / "config", {"token": "t0ken"}))

    assert credentials.host == "http://127.0.0.1:1"
    assert await headers(credentials) == {"authorization": "Bearer t0ken"}


async def test_asks_a_credential_plugin(tmp_path: Path) -> None:
    credentials = await load(write(tmp_path / "config", plugin(tmp_path, TOKEN_PLUGIN)))

    assert await headers(credentials) == {"authorization": "Bearer from-the-plugin"}


async def test_a_failing_plugin_is_not_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    source = write(tmp_path / "config", plugin(tmp_path, "#!/bin/sh\nexit 3\n"))

    assert await refused(source) == (
        f"the credential plugin named in the kubeconfig at {source.kubeconfig} failed; "
        "run it by hand to see why"
    )


async def test_a_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere")

    assert await refused(Source(kubeconfig=path)) == f"there is no kubeconfig at {path}"


@pytest.mark.parametrize("text", ["", "{}", "- 1", "clusters: 7", "a: b: c", "\x00"])
async def test_a_file_that_is_no_kubeconfig_cannot_be_used(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)

    sentence = await refused(Source(kubeconfig=str(path), in_cluster=False))

    assert sentence.startswith(f"the kubeconfig at {path} cannot be used: ")


async def test_an_unknown_context_cannot_be_used(tmp_path: Path) -> None:
    write(tmp_path / "config", {})

    sentence = await refused(
        Source(kubeconfig=str(tmp_path / "config"), context="there", in_cluster=False)
    )

    assert "there" in sentence


async def test_a_certificate_that_cannot_be_read_cannot_be_used(tmp_path: Path) -> None:
    source = write(
        tmp_path / "config",
        {},
        **{"server": "https://127.0.0.1:1", "certificate-authority-data": "bm9uc2Vuc2U="},
    )

    assert "cannot be used" in await refused(source)


async def test_outside_a_pod_there_is_no_service_account() -> None:
    sentence = await refused(Source(in_cluster=True))

    assert sentence.startswith("the pod's service account cannot be used: ")
