"""Cluster IPs and node ports."""

from sandbox.addresses import Addresses
from tests.unit.sandbox.widgets import service


def test_gives_addresses_in_order_and_passes_over_taken_ones() -> None:
    addresses = Addresses()
    taken = service(clusterIP="10.96.0.11")

    first = addresses.assigned(service(), [taken])
    second = addresses.assigned(service(), [taken, first])

    assert [each["spec"]["clusterIP"] for each in (first, second)] == ["10.96.0.10", "10.96.0.12"]
    assert first["spec"]["clusterIPs"] == ["10.96.0.10"]


def test_a_dry_run_is_shown_the_first_address_and_takes_none() -> None:
    addresses = Addresses()

    shown = [addresses.assigned(service(), [], dry=True) for _ in range(2)]

    assert [each["spec"]["clusterIP"] for each in shown] == ["10.96.0.1", "10.96.0.1"]
    assert addresses.assigned(service(), [])["spec"]["clusterIP"] == "10.96.0.10"


def test_leaves_headless_and_external_services_alone() -> None:
    headless = Addresses().assigned(service(clusterIP="None"), [])
    external = Addresses().assigned(service(type="ExternalName"), [])

    assert headless["spec"]["clusterIP"] == "None"
    assert "clusterIP" not in external["spec"]


def test_gives_node_ports_that_nobody_has() -> None:
    addresses = Addresses()
    first = addresses.assigned(service(type="NodePort"), [])
    second = addresses.assigned(service(type="LoadBalancer"), [first])

    ports = [each["spec"]["ports"][0]["nodePort"] for each in (first, second)]

    assert ports == [30000, 30001]


def test_keeps_what_a_service_has() -> None:
    held = Addresses().assigned(service(type="NodePort"), [])

    assert Addresses().assigned(held, [held]) == held
