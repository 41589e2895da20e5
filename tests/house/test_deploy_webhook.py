"""The webhook as a component: off unless named, whole when it is, asked about what it judges."""

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.webhook.messages import KINDS, PATHS
from shared.runtime.options import OPTIONS
from shared.runtime.reading import read_settings
from tests.house.deployed import MANIFESTS, rendered, with_component
from tests.support.tls import make_certificate

WEBHOOK = MANIFESTS / "webhook"


def loaded(name: str) -> Any:
    return yaml.safe_load((WEBHOOK / name).read_text(encoding="utf-8"))


@pytest.fixture
def switched_on(tmp_path: Path) -> Path:
    """Make the certificate, too."""
    folder = with_component("webhook", tmp_path)
    make_certificate(folder / "webhook" / "certificate")
    return folder


def test_without_the_switch_there_is_no_webhook() -> None:
    assert [key for key in rendered(MANIFESTS) if "webhook" in key[1]] == []


def test_with_the_switch_it_is_whole_and_trusted_by_the_api_server(switched_on: Path) -> None:
    objects = rendered(switched_on)
    secret = objects["Secret", "heliograph-webhook-certificate"]
    hooks = objects["ValidatingWebhookConfiguration", "heliograph-webhook"]["webhooks"]
    mounted = objects["Deployment", "heliograph-webhook"]["spec"]["template"]["spec"]["volumes"]
    authority = (switched_on / "webhook" / "certificate" / "ca.crt").read_bytes()

    assert set(secret["data"]) == {"ca.crt", "tls.crt", "tls.key"}
    assert [base64.b64decode(hook["clientConfig"]["caBundle"]) for hook in hooks] == [
        authority
    ] * len(KINDS)
    assert [volume["secret"]["secretName"] for volume in mounted] == [secret["metadata"]["name"]]


def test_every_kind_is_asked_about_where_it_is_judged() -> None:
    hooks = loaded("configuration.yaml")["webhooks"]
    asked = {
        hook["clientConfig"]["service"]["path"]: hook["rules"][0]["resources"] for hook in hooks
    }

    assert asked == {path: [f"{kind.lower()}s"] for path, kind in PATHS.items()}
    for hook in hooks:
        assert hook["rules"][0]["operations"] == ["CREATE", "UPDATE"]
        assert (hook["failurePolicy"], hook["sideEffects"]) == ("Ignore", "None")
        assert len({one["name"] for one in hooks}) == len(hooks)


def test_service_certificate_and_port_belong_together() -> None:
    service = loaded("service.yaml")
    container = loaded("deployment.yaml")["spec"]["template"]["spec"]["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    hooks = loaded("configuration.yaml")["webhooks"]
    where = {"name": service["metadata"]["name"], "namespace": service["metadata"]["namespace"]}
    given = {one["name"]: one["value"] for one in container["env"]}
    settings = read_settings({}, given, member="one").webhook

    assert service["spec"]["ports"][0]["targetPort"] == "webhook"
    assert ports["webhook"] == settings.webhook_port
    assert all(where.items() <= hook["clientConfig"]["service"].items() for hook in hooks)
    assert f"DNS:{where['name']}.{where['namespace']}.svc" in (
        WEBHOOK / "certificate.sh"
    ).read_text(encoding="utf-8")
    mount = container["volumeMounts"][0]["mountPath"]
    assert (settings.webhook_cert, settings.webhook_key) == (f"{mount}/tls.crt", f"{mount}/tls.key")
    assert set(given) <= {option.variable for option in OPTIONS}


def test_keys_are_not_kept_with_the_code() -> None:
    assert "certificate/" in (WEBHOOK / ".gitignore").read_text(encoding="utf-8").splitlines()
