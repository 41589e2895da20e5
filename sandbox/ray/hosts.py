"""The names that a pod can look up, as the text of a hosts file. Pure.

A service has the addresses of its ready pods, in the order of addresses: as with a headless service
the port asked for is a port of the pod. So a service whose port differs from the pod's cannot be
reached by name here. Read next: kubelet.py, which keeps the files up to date.
"""

from collections.abc import Iterable, Iterator

from sandbox.controllers.endpoints import SERVICE_NAME
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows

DOMAIN = "cluster.local"
LOCAL = "127.0.0.1\tlocalhost\n"


def own_names(pod: Object, address: str) -> str:
    """Write what a pod knows of itself."""
    known = [name_of(pod)]
    hostname, subdomain = dig(pod, "spec.hostname"), dig(pod, "spec.subdomain")
    if hostname and subdomain:
        known.insert(0, f"{hostname}.{subdomain}.{namespace_of(pod)}.svc.{DOMAIN}")
    return LOCAL + (f"{address}\t{' '.join(known)}\n" if address else "")


def service_names(slices: Iterable[Object], namespace: str) -> str:
    """Write the names of all services that have ready pods, as seen from a namespace."""
    return "".join(sorted(_lines(slices, namespace)))


def _lines(slices: Iterable[Object], namespace: str) -> Iterator[str]:
    for each in slices:
        service = (metadata(each).get("labels") or {}).get(SERVICE_NAME)
        if not service:
            continue
        place = namespace_of(each)
        for endpoint in rows(each, "endpoints"):
            if not dig(endpoint, "conditions.ready"):
                continue
            known = " ".join(_names(str(service), place, namespace, endpoint.get("hostname")))
            yield from (f"{address}\t{known}\n" for address in endpoint.get("addresses") or ())


def _names(service: str, place: str, namespace: str, hostname: str | None) -> Iterator[str]:
    long = f"{service}.{place}.svc"
    yield from (f"{long}.{DOMAIN}", long, f"{service}.{place}")
    if place == namespace:
        yield service
    if hostname:
        yield f"{hostname}.{long}.{DOMAIN}"
