"""Where the addresses of services lead, as kube-proxy would have it."""

from sandbox.controllers.endpoints import SERVICE_NAME
from sandbox.objects import Object
from sandbox.ray.routes import routes

HTTP = {"name": "http", "port": 80, "targetPort": 8080}


def service(name: str = "web", address: str = "10.96.0.12", *ports: Object) -> Object:
    return {
        "metadata": {"name": name, "namespace": "prod"},
        "spec": {"clusterIP": address, "ports": list(ports) or [HTTP]},
    }


def pod(number: int, *, ready: bool = False, serving: bool = False) -> Object:
    serving = serving or ready
    conditions = {"ready": ready, "serving": serving, "terminating": serving and not ready}
    return {"addresses": [f"10.128.0.{number}"], "conditions": conditions}


def behind(*pods: Object, service: str = "web", namespace: str = "prod") -> Object:
    return {
        "metadata": {"namespace": namespace, "labels": {SERVICE_NAME: service}},
        "endpoints": list(pods),
        "ports": [{"name": "http", "port": 8080}, {"name": "grpc", "port": 9000}],
    }


def test_a_port_leads_to_that_port_of_every_ready_pod() -> None:
    slices = [behind(pod(1, ready=True), pod(2)), behind(pod(3, ready=True))]

    found = routes([service()], slices)

    assert found == {("10.96.0.12", 80): (("10.128.0.1", 8080), ("10.128.0.3", 8080))}


def test_the_last_pods_that_still_serve_are_better_than_none() -> None:
    ending = pod(2, serving=True)

    assert routes([service()], [behind(pod(1, ready=True), ending)]) == {
        ("10.96.0.12", 80): (("10.128.0.1", 8080),)
    }
    assert routes([service()], [behind(pod(1), ending)]) == {
        ("10.96.0.12", 80): (("10.128.0.2", 8080),)
    }


def test_what_leads_nowhere_is_left_out() -> None:
    lone = behind(pod(1, ready=True), service="other")
    foreign = behind(pod(1, ready=True), namespace="test")

    assert routes([service()], [lone, foreign, behind(pod(1))]) == {}


def test_headless_services_and_other_protocols_have_no_address_to_hold() -> None:
    ready = behind(pod(1, ready=True))
    datagrams = service("web", "10.96.0.12", {**HTTP, "protocol": "UDP"})

    assert routes([service(address="None"), datagrams], [ready]) == {}


def test_every_port_of_a_service_is_a_way_of_its_own() -> None:
    both = service("web", "10.96.0.12", HTTP, {"name": "grpc", "port": 9000})

    assert routes([both], [behind(pod(1, ready=True))]) == {
        ("10.96.0.12", 80): (("10.128.0.1", 8080),),
        ("10.96.0.12", 9000): (("10.128.0.1", 9000),),
    }
