"""Junk in bodies is refused; it never trips the cluster or its controllers."""

import contextlib
from random import Random
from typing import Any

import pytest

from sandbox.errors import ApiError
from sandbox.objects import Object
from sandbox.requests import Request, Verb
from tests.unit.sandbox.widgets import (
    HandClock,
    cluster,
    configmap,
    pod,
    service,
    widget,
    widget_definition,
)

JUNK: list[Any] = [None, [], {}, "x", 5, True, [1], {"a": 1}, [{"a": None}], {"a": [{}]}]
CONTENT_TYPES = (
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
VERBS: tuple[Verb, ...] = ("create", "update", "patch", "delete")


def job() -> Object:
    return {"metadata": {"name": "j"}, "spec": {"template": {"spec": pod()["spec"]}}}


def node() -> Object:
    ready = {"type": "Ready", "status": "True"}
    return {"metadata": {"name": "n"}, "status": {"conditions": [ready]}}


SOUND: list[tuple[str, Object]] = [
    ("pods", pod("p", labels={"app": "x"}, finalizers=["a.b/c"])),
    ("services", service(selector={"app": "x"})),
    ("widgets", widget(replicas=1)),
    ("jobs", job()),
    ("configmaps", configmap(a="b")),
    ("nodes", node()),
    ("namespaces", {"metadata": {"name": "extra"}}),
    ("customresourcedefinitions", widget_definition()),
]


def spoiled(value: Any, chance: Random) -> Any:
    if chance.random() < 0.03:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {key: spoiled(item, chance) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, chance) for item in value]
    return value


def random_request(chance: Random) -> Request:
    resource, sound = chance.choice(SOUND)
    return Request(
        verb=chance.choice(VERBS),
        resource=resource,
        namespace=sound["metadata"].get("namespace", "default"),
        name=sound["metadata"]["name"],
        subresource=chance.choice(("", "", "status", "scale")),
        body=spoiled(sound, chance),
        content_type=chance.choice(CONTENT_TYPES),
        field_manager="junk",
    )


@pytest.mark.parametrize("seed", range(8))
def test_junk_is_refused_and_nothing_else_happens(seed: int) -> None:
    chance = Random(seed)
    clock = HandClock()
    ours = cluster(clock)
    carried_out = 0

    for _ in range(150):
        with contextlib.suppress(ApiError):
            ours.carry_out(random_request(chance))
            carried_out += 1
        clock.pass_seconds(chance.random())
        ours.step()

    assert carried_out > 10
