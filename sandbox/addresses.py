"""Addresses of services: cluster IPs and node ports.

Pure. Invariant: no two services share an address; addresses are given in order and a freed one
comes back only after the whole range was used, so that a stale address rarely means a new service.
"""

from collections.abc import Iterable
from ipaddress import ip_network
from itertools import islice

from sandbox.objects import Object, dig, rows

RANGE = ip_network("10.96.0.0/16")
RESERVED = 10
PORT_FIRST, PORT_COUNT = 30000, 2768


class Addresses:
    """Gives every service what it needs and does not have yet."""

    def __init__(self) -> None:
        self._ip_index = RESERVED
        self._port_index = 0

    def assigned(self, service: Object, others: Iterable[Object], *, dry: bool = False) -> Object:
        """Return the service with the addresses its type calls for.

        A dry run is shown the first address, whoever has it: none is given away.
        """
        spec = dict(service.get("spec") or {})
        kind = spec.get("type", "ClusterIP")
        if kind == "ExternalName":
            return service
        held = list(others)
        if not spec.get("clusterIP"):
            taken = {str(dig(each, "spec.clusterIP")) for each in held}
            spec["clusterIP"] = str(RANGE[1]) if dry else self._next_ip(taken)
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        if kind in {"NodePort", "LoadBalancer"}:
            spec["ports"] = self._with_node_ports(list(spec.get("ports") or ()), held)
        return {**service, "spec": spec}

    def _next_ip(self, taken: set[str]) -> str:
        usable = RANGE.num_addresses - RESERVED - 1
        for _ in range(usable):
            index = RESERVED + (self._ip_index - RESERVED) % usable
            self._ip_index = index + 1
            address = str(RANGE[index])
            if address not in taken:
                return address
        raise OverflowError("every cluster IP is taken")

    def _with_node_ports(self, ports: list[Object], others: list[Object]) -> list[Object]:
        taken = {row.get("nodePort") for each in others for row in rows(each, "spec.ports")}
        numbers = (
            PORT_FIRST + (self._port_index + step) % PORT_COUNT for step in range(PORT_COUNT)
        )
        free = [
            number for number in islice(numbers, len(taken) + len(ports)) if number not in taken
        ]
        self._port_index += len(ports)
        fresh = iter(free)
        return [row if row.get("nodePort") else {**row, "nodePort": next(fresh)} for row in ports]
