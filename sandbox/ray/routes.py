"""Where the addresses of services lead: every port of a service, and the pods behind it. Pure.

As kube-proxy has it: a new connection goes to a ready pod; where none is ready, to one that is
about to end and still serves; where there is none of these either, the address refuses. Read next:
serviceproxy.py, which keeps the addresses open.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sandbox.controllers.endpoints import SERVICE_NAME
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows

Spot: TypeAlias = tuple[str, int]
"""An address and a port."""
Routes: TypeAlias = Mapping[Spot, Sequence[Spot]]
Slices: TypeAlias = Mapping[tuple[str, str], Sequence[Object]]
"""Endpoint slices by namespace and service."""


def routes(services: Iterable[Object], slices: Iterable[Object]) -> Routes:
    """Return where a new connection to each address and port may go; what refuses is left out."""
    held = by_service(slices)
    found = {
        (address, int(port["port"])): tuple(_targets(held[place], str(port.get("name", ""))))
        for service in services
        for place in [(namespace_of(service), name_of(service))]
        for address in [cluster_address(service)]
        for port in rows(service, "spec.ports")
        if address and place in held and port.get("protocol", "TCP") == "TCP"
    }
    return {spot: targets for spot, targets in found.items() if targets}


def cluster_address(service: Object) -> str:
    """Return a service's own address; empty for one without."""
    address = dig(service, "spec.clusterIP")
    return "" if address in {None, "None"} else str(address)


def by_service(slices: Iterable[Object]) -> Slices:
    """Sort endpoint slices by the service that they belong to."""
    found: defaultdict[tuple[str, str], list[Object]] = defaultdict(list)
    for each in slices:
        service = (metadata(each).get("labels") or {}).get(SERVICE_NAME)
        if service:
            found[namespace_of(each), str(service)].append(each)
    return dict(found)


def _targets(slices: Sequence[Object], port: str) -> list[Spot]:
    """Name the pods behind a port: those that are ready, or else the last that still serve."""
    ready = list(_spots(slices, port, "ready"))
    return ready or list(_spots(slices, port, "serving"))


def _spots(slices: Iterable[Object], port: str, condition: str) -> Iterator[Spot]:
    for each in slices:
        numbers = [row.get("port") for row in rows(each, "ports") if row.get("name", "") == port]
        for endpoint in rows(each, "endpoints"):
            if dig(endpoint, f"conditions.{condition}"):
                for address in endpoint.get("addresses") or ():
                    yield from ((str(address), int(number)) for number in numbers if number)
