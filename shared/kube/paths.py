"""Where objects stand on the API server. Names are quoted: none can lead to another path."""

from urllib.parse import quote

from shared.ports.cluster import Kind


def collection(kind: Kind, namespace: str = "") -> str:
    """Return the path of all objects of a kind, in one namespace or (none given) in all."""
    place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
    return f"{kind.api}{place}/{kind.plural}"


def single(kind: Kind, namespace: str, name: str) -> str:
    """Return the path of one object."""
    return f"{collection(kind, namespace)}/{quote(name, safe='')}"


def status(kind: Kind, namespace: str, name: str) -> str:
    """Return the path of one object's status."""
    return f"{single(kind, namespace, name)}/status"
