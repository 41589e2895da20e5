"""Endpoint slices: which pods stand behind a service, and how they are told."""

from typing import Any

import pytest

from sandbox.controllers import endpoints
from sandbox.controllers.endpoints import CONTROLLER, MANAGED_BY, SERVICE_NAME
from sandbox.controllers.world import CreateObject, Steps
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld

OWNER = {
    "apiVersion": "v1",
    "kind": "Service",
    "name": "s",
    "uid": "s-uid",
    "controller": True,
    "blockOwnerDeletion": True,
}


def service(**spec: Any) -> dict[str, Any]:
    ports = [{"name": "web", "port": 80, "targetPort": 8080}]
    return {
        "metadata": {"name": "s", "namespace": "n", "uid": "s-uid"},
        "spec": {"selector": {"app": "x"}, "ports": ports, **spec},
    }


def pod(name: str = "p", app: str = "x", **changes: Any) -> dict[str, Any]:
    ready = changes.pop("ready", True)
    status = {
        "phase": "Running",
        "podIP": f"10.0.0.{len(name)}",
        "conditions": [{"type": "Ready", "status": str(ready)}],
    }
    ports = [{"name": "http", "containerPort": 8000}]
    meta = {"name": name, "namespace": "n", "uid": f"{name}-uid", "labels": {"app": app}}
    return {
        "metadata": {**meta, **changes.pop("meta", {})},
        "spec": {"nodeName": "node", "containers": [{"name": "c", "ports": ports}]},
        "status": {**status, **changes},
    }


def slices(world: SmallWorld) -> list[Any]:
    world.run(lambda seen, _: endpoints.step(seen))
    return list(world.objects("endpointslices"))


def conditions(world: SmallWorld) -> dict[str, tuple[bool, bool, bool]]:
    found = [endpoint for held in slices(world) for endpoint in held["endpoints"]]
    return {
        endpoint["targetRef"]["name"]: tuple(endpoint["conditions"].values()) for endpoint in found
    }


def test_writes_a_slice_that_names_service_pods_and_ports() -> None:
    world = SmallWorld(services=[service()], pods=[pod(), pod("other", app="y")])

    [change] = endpoints.step(world).changes

    assert isinstance(change, CreateObject)
    assert change.object["metadata"].pop("name").startswith("s-")
    assert change.object == {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "namespace": "n",
            "labels": {SERVICE_NAME: "s", MANAGED_BY: CONTROLLER},
            "ownerReferences": [OWNER],
        },
        "addressType": "IPv4",
        "endpoints": [
            {
                "addresses": ["10.0.0.1"],
                "conditions": {"ready": True, "serving": True, "terminating": False},
                "nodeName": "node",
                "targetRef": {"kind": "Pod", "namespace": "n", "name": "p", "uid": "p-uid"},
            }
        ],
        "ports": [{"name": "web", "port": 8080, "protocol": "TCP"}],
    }


def test_says_which_pods_are_ready_serving_and_terminating() -> None:
    dying = {"deletionTimestamp": "2026-01-01T12:00:00Z"}
    world = SmallWorld(
        services=[service()],
        pods=[
            pod("a"),
            pod("b", ready=False),
            pod("c", meta=dying),
            pod("d", phase="Succeeded"),
            pod("e", podIP=None),
        ],
    )

    assert conditions(world) == {
        "a": (True, True, False),
        "b": (False, False, False),
        "c": (False, True, True),
    }


def test_publishes_pods_that_are_not_ready_when_told_to() -> None:
    world = SmallWorld(
        services=[service(publishNotReadyAddresses=True)], pods=[pod("a", ready=False)]
    )

    assert conditions(world) == {"a": (True, True, False)}


@pytest.mark.parametrize(
    ("port", "told"),
    [
        ({"port": 80}, {"name": "", "port": 80, "protocol": "TCP"}),
        ({"port": 80, "targetPort": "http"}, {"name": "", "port": 8000, "protocol": "TCP"}),
        (
            {"port": 80, "protocol": "UDP", "appProtocol": "dns"},
            {"name": "", "port": 80, "protocol": "UDP", "appProtocol": "dns"},
        ),
    ],
)
def test_finds_the_port_on_the_pod(port: dict[str, Any], told: dict[str, Any]) -> None:
    [held] = slices(SmallWorld(services=[service(ports=[port])], pods=[pod()]))

    assert held["ports"] == [told]


def test_names_pods_that_have_a_name_below_the_service() -> None:
    named = pod()
    named["spec"] |= {"hostname": "zero", "subdomain": "s"}

    [held] = slices(SmallWorld(services=[service()], pods=[named]))

    assert held["endpoints"][0]["hostname"] == "zero"


def test_a_service_without_pods_has_one_empty_slice_and_one_without_selector_none() -> None:
    [held] = slices(SmallWorld(services=[service()]))

    assert held["endpoints"] == []
    assert slices(SmallWorld(services=[service(selector=None)], pods=[pod()])) == []


def test_many_pods_take_several_slices_and_surplus_slices_go() -> None:
    world = SmallWorld(services=[service()], pods=[pod(f"p{number:03}") for number in range(150)])
    counts = [len(held["endpoints"]) for held in slices(world)]

    for number in range(60, 150):
        world.delete("pods", f"p{number:03}", NOON)

    assert counts == [100, 50]
    assert [len(held["endpoints"]) for held in slices(world)] == [60]


def test_asking_again_in_an_unchanged_world_changes_nothing() -> None:
    world = SmallWorld(services=[service()], pods=[pod()])
    slices(world)

    assert endpoints.step(world) == Steps()


def test_a_changed_pod_changes_the_slice_and_keeps_its_identity() -> None:
    world = SmallWorld(services=[service()], pods=[pod()])
    [before] = slices(world)
    world.get("pods", "p")["status"]["conditions"][0]["status"] = "False"

    [after] = slices(world)

    assert after["metadata"] == before["metadata"]
    assert after["endpoints"][0]["conditions"]["ready"] is False
