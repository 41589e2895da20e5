"""What a container's variables and command line come to."""

from base64 import b64encode
from typing import Any

import pytest

from sandbox.objects import Object
from sandbox.ray.environment import ConfigError, amount, command_line, environment, expanded

HELD: dict[tuple[str, str], Object] = {
    ("configmaps", "settings"): {"kind": "ConfigMap", "data": {"COLOR": "blue", "size": "9"}},
    ("secrets", "key"): {"kind": "Secret", "data": {"token": b64encode(b"s3cret").decode()}},
}
POD: Object = {
    "metadata": {"name": "one", "namespace": "prod", "labels": {"app": "x"}},
    "spec": {"serviceAccountName": "robot"},
}


def made(*env: Object, **container: Any) -> dict[str, str]:
    spec = {"name": "main", "env": list(env), **container}
    return environment(POD, spec, lambda *key: HELD.get(key), ray="/opt/ray", address="10.128.0.7")


def test_ray_comes_first_on_the_path() -> None:
    assert made()["PATH"].startswith("/opt/ray/bin:")


def test_later_entries_see_earlier_ones_and_win() -> None:
    found = made(
        {"name": "A", "value": "one"}, {"name": "B", "value": "$(A) $(C) $$(A)"}, {"name": "A"}
    )

    assert (found["A"], found["B"]) == ("", "one $(C) $(A)")


def test_values_come_from_configmaps_secrets_fields_and_limits() -> None:
    found = made(
        {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "COLOR"}}},
        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "key", "key": "token"}}},
        {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
        {"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}},
        {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "spec.serviceAccountName"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        resources={"limits": {"cpu": "1500m"}},
    )

    assert [found[key] for key in ("C", "S", "IP", "APP", "WHO")] == [
        *("blue", "s3cret", "10.128.0.7", "x", "robot")
    ]
    assert found["CPU"] == "2"


def test_whole_configmaps_are_taken_with_their_prefix() -> None:
    found = made(envFrom=[{"configMapRef": {"name": "settings"}, "prefix": "MY_"}])

    assert (found["MY_COLOR"], found["MY_size"]) == ("blue", "9")


def test_what_is_lacking_is_named_with_its_place() -> None:
    lacking = {"name": "S", "valueFrom": {"secretKeyRef": {"name": "key", "key": "other"}}}

    with pytest.raises(ConfigError, match=r"main: env\[0\]: no key other in secrets key"):
        made(lacking)
    with pytest.raises(ConfigError, match="configmaps none not found"):
        made(envFrom=[{"configMapRef": {"name": "none"}}])


def test_what_may_be_lacking_is_left_out() -> None:
    wanted = {"name": "key", "key": "other", "optional": True}

    assert "S" not in made({"name": "S", "valueFrom": {"secretKeyRef": wanted}})
    assert made(envFrom=[{"secretRef": {"name": "none", "optional": True}}])


def test_commands_and_arguments_make_one_line() -> None:
    spec = {"command": ["bash", "-c"], "args": ["echo $(A) $A"]}

    assert command_line(spec, {"A": "b"}) == ("bash", "-c", "echo b $A")


def test_only_the_image_knows_a_command_that_is_not_written() -> None:
    assert command_line({"args": ["--help"]}, {}) == ()


def test_unknown_references_stay() -> None:
    assert expanded("$(NONE) $() $", {}) == "$(NONE) $() $"


@pytest.mark.parametrize(
    ("text", "number"), [("500m", 0.5), ("2", 2), ("1Gi", 2**30), ("2k", 2000), ("much", 0)]
)
def test_quantities_are_numbers(text: str, number: float) -> None:
    assert amount(text) == number
