"""Addresses made from names: the same pod or node always gets the same one.

Pods live in 10.128.0.0/10, nodes in 172.18.0.0/16; services (10.96.0.0/12) are the API server's.
Two pods can in theory share an address; with ten thousand pods that is a rarity a sandbox can bear.
Read next: podstatus.py.
"""

from hashlib import sha256

from sandbox.objects import Object, metadata, name_of, namespace_of, rows

LOOPBACK = "127.0.0.1"


def pod_address(pod: Object) -> str:
    """Make a pod's address from its uid, or from its name before it has one."""
    seed = metadata(pod).get("uid") or f"{namespace_of(pod)}/{name_of(pod)}"
    first, second, third = sha256(seed.encode()).digest()[:3]
    return f"10.{128 + first % 64}.{second}.{1 + third % 254}"


def node_address(node: Object | None, name: str) -> str:
    """Return a node's internal address; make one from its name where it reports none.

    One on loopback is the address of the kubelet's door; pods of the host would not be found there.
    """
    for entry in rows(node, "status.addresses"):
        if entry.get("type") == "InternalIP" and entry["address"] != LOOPBACK:
            return str(entry["address"])
    first, second = sha256(name.encode()).digest()[:2]
    return f"172.18.{first}.{1 + second % 254}"


def fingerprint(*parts: str) -> str:
    """Make a stable identifier of 64 hexadecimal digits."""
    return sha256("\0".join(parts).encode()).hexdigest()
