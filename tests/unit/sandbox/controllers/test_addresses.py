"""Addresses come from names: stable, in their range, and different for different pods."""

from ipaddress import ip_address, ip_network

from sandbox.controllers.addresses import node_address, pod_address


def made(uid: str) -> dict[str, object]:
    return {"metadata": {"name": "p", "namespace": "n", "uid": uid}}


def test_a_pod_keeps_its_address_and_others_get_their_own() -> None:
    addresses = [pod_address(made(f"uid-{number}")) for number in range(500)]

    assert addresses == [pod_address(made(f"uid-{number}")) for number in range(500)]
    assert len(set(addresses)) == 500
    assert all(ip_address(address) in ip_network("10.128.0.0/10") for address in addresses)


def test_a_node_says_its_address_itself_if_it_can() -> None:
    node = {"status": {"addresses": [{"type": "InternalIP", "address": "1.2.3.4"}]}}

    assert node_address(node, "node") == "1.2.3.4"
    assert ip_address(node_address(None, "node")) in ip_network("172.18.0.0/16")


def test_a_node_on_loopback_gives_its_pods_an_address_that_others_reach() -> None:
    node = {"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}}

    assert node_address(node, "node") == node_address(None, "node")
