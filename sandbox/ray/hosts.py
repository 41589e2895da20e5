"""The names that a pod can look up, as the text of a hosts file. Pure.

A service has its own address, whoever is behind it; a headless one the addresses of its ready pods,
in the order of addresses. Read next: kubelet.py, which keeps the files up to date; routes.py for
where a service's own address leads.
"""

from collections.abc import Iterable, Iterator

from sandbox.objects import Object, dig, name_of, namespace_of, rows
from sandbox.ray.routes import Slices, by_service, cluster_address

DOMAIN = "cluster.local"
LOCAL = "127.0.0.1\tlocalhost\n"


def own_names(pod: Object, address: str) -> str:
    """Write what a pod knows of itself."""
    known = [name_of(pod)]
    hostname, subdomain = dig(pod, "spec.hostname"), dig(pod, "spec.subdomain")
    if hostname and subdomain:
        known.insert(0, f"{hostname}.{subdomain}.{namespace_of(pod)}.svc.{DOMAIN}")
    return LOCAL + (f"{address}\t{' '.join(known)}\n" if address else "")


def service_names(services: Iterable[Object], slices: Iterable[Object], namespace: str) -> str:
    """Write the names of all services that have an address, as seen from a namespace."""
    held = by_service(slices)
    return "".join(sorted(line for each in services for line in _lines(each, held, namespace)))


def _lines(service: Object, slices: Slices, namespace: str) -> Iterator[str]:
    name, place = name_of(service), namespace_of(service)
    own = cluster_address(service)
    if own:
        yield f"{own}\t{' '.join(_names(name, place, namespace, None))}\n"
        return
    for endpoint in (
        row for each in slices.get((place, name), ()) for row in rows(each, "endpoints")
    ):
        if dig(endpoint, "conditions.ready"):
            known = " ".join(_names(name, place, namespace, endpoint.get("hostname")))
            yield from (f"{address}\t{known}\n" for address in endpoint.get("addresses") or ())


def _names(service: str, place: str, namespace: str, hostname: str | None) -> Iterator[str]:
    long = f"{service}.{place}.svc"
    yield from (f"{long}.{DOMAIN}", long, f"{service}.{place}")
    if place == namespace:
        yield service
    if hostname:
        yield f"{hostname}.{long}.{DOMAIN}"
