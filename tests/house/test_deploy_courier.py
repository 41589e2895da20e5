"""The courier as a component: off unless named, and its file and secrets are where it looks."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.courier.expressions import MISSING
from services.courier.subscriptions import read_subscriptions
from shared.runtime.reading import read_settings
from tests.house.deployed import MANIFESTS, rendered, with_component
from tests.house.sources import HOME

COURIER = MANIFESTS / "courier"
NAME = "heliograph-courier"


def loaded(name: str) -> Any:
    return yaml.safe_load((COURIER / name).read_text(encoding="utf-8"))


@pytest.fixture
def switched_on(tmp_path: Path) -> Path:
    return with_component("courier", tmp_path)


def test_without_the_switch_there_is_no_courier() -> None:
    assert [key for key in rendered(MANIFESTS) if "courier" in key[1]] == []


def test_with_the_switch_it_is_whole_and_without_the_webhook(switched_on: Path) -> None:
    objects = set(rendered(switched_on))

    assert {kind for kind, name in objects if name == NAME} == {
        "Deployment",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "ServiceAccount",
    }
    assert ("ConfigMap", "heliograph-subscriptions") in objects
    assert [key for key in objects if "webhook" in key[1]] == []


def test_file_and_secrets_are_mounted_side_by_side_where_the_courier_looks() -> None:
    spec = loaded("deployment.yaml")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    (mount,) = container["volumeMounts"]
    (volume,) = spec["volumes"]
    given = {one["name"]: one["value"] for one in container["env"]}
    settings = read_settings({}, given, member="one").courier
    sources = {kind: one for each in volume["projected"]["sources"] for kind, one in each.items()}
    (key,) = loaded("subscriptions.yaml")["data"]

    assert settings.subscriptions == f"{mount['mountPath']}/{key}"
    assert mount["name"] == volume["name"]
    assert mount["readOnly"] is True
    assert sources["configMap"]["name"] == loaded("subscriptions.yaml")["metadata"]["name"]
    assert sources["secret"]["optional"] is True


def test_what_is_deployed_is_a_file_that_the_courier_takes_also_uncommented() -> None:
    (text,) = loaded("subscriptions.yaml")["data"].values()
    first, *rest = text.splitlines()
    example = "\n".join(line.removeprefix("# ") for line in rest)

    assert read_subscriptions(yaml.safe_load(text)).problems == ()
    assert first == "subscriptions: []"
    assert read_subscriptions(yaml.safe_load(example)).problems == ()
    assert [one.name for one in read_subscriptions(yaml.safe_load(example)).subscriptions] == [
        "pager"
    ]


def test_the_image_has_what_expressions_in_filters_need() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    dockerfile = (HOME / "deploy" / "image" / "Dockerfile").read_text(encoding="utf-8")
    (extra,) = re.findall(r"heliograph\[(\w+)\]", MISSING)

    assert [one.split(">")[0] for one in project["optional-dependencies"][extra]] == [
        "cel-expr-python"
    ]
    assert f"heliograph[{extra}]" in dockerfile


def test_it_may_speak_to_sinks_anywhere_but_not_to_the_metadata_server() -> None:
    spec = loaded("network-policy.yaml")["spec"]
    blocks = [to["ipBlock"] for rule in spec["egress"] for to in rule["to"] if "ipBlock" in to]

    assert spec["policyTypes"] == ["Egress"]
    assert {block["cidr"]: block["except"] for block in blocks} == {
        "0.0.0.0/0": ["169.254.169.254/32"],
        "::/0": ["fd00:ec2::254/128"],
    }
