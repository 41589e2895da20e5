"""Names of services and pods, as a pod looks them up."""

from sandbox.controllers.endpoints import SERVICE_NAME
from sandbox.objects import Object
from sandbox.ray.hosts import own_names, service_names


def endpoints(service: str, namespace: str, *ready: bool, hostname: str = "") -> Object:
    return {
        "metadata": {"namespace": namespace, "labels": {SERVICE_NAME: service}},
        "endpoints": [
            {
                "addresses": [f"10.128.0.{number}"],
                "conditions": {"ready": state},
                **({"hostname": hostname} if hostname else {}),
            }
            for number, state in enumerate(ready, 1)
        ],
    }


def service(name: str, namespace: str, address: str = "None") -> Object:
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {"clusterIP": address}}


def known(text: str, name: str) -> list[str]:
    lines = [line.split() for line in text.splitlines()]
    return [address for address, *names in lines if name in names]


def test_a_headless_service_has_the_addresses_of_its_ready_pods() -> None:
    slices = [endpoints("head", "prod", True, False, True)]
    text = service_names([service("head", "prod")], slices, "prod")

    for name in ("head", "head.prod", "head.prod.svc", "head.prod.svc.cluster.local"):
        assert known(text, name) == ["10.128.0.1", "10.128.0.3"]


def test_a_service_has_its_own_address_whoever_is_behind_it() -> None:
    own = service("web", "prod", "10.96.0.12")

    text = service_names([own], [], "prod")

    assert known(text, "web.prod.svc.cluster.local") == ["10.96.0.12"]
    assert service_names([own], [endpoints("web", "prod", True, hostname="w0")], "prod") == text


def test_short_names_are_for_neighbours() -> None:
    text = service_names([service("head", "prod")], [endpoints("head", "prod", True)], "test")

    assert known(text, "head") == []
    assert known(text, "head.prod.svc.cluster.local") == ["10.128.0.1"]


def test_a_pod_with_a_hostname_has_a_name_under_its_headless_service() -> None:
    slices = [endpoints("all", "prod", True, hostname="w0")]
    text = service_names([service("all", "prod")], slices, "prod")

    assert known(text, "w0.all.prod.svc.cluster.local") == ["10.128.0.1"]


def test_a_pod_knows_itself() -> None:
    pod = {
        "metadata": {"name": "one", "namespace": "prod"},
        "spec": {"hostname": "w0", "subdomain": "all"},
    }
    text = own_names(pod, "10.128.0.9")

    assert known(text, "one") == ["10.128.0.9"]
    assert known(text, "w0.all.prod.svc.cluster.local") == ["10.128.0.9"]
    assert known(text, "localhost") == ["127.0.0.1"]
