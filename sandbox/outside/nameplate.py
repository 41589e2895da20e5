"""What stands on a node about its kubelet's door: where it is, so that the API server finds it.

A plate is written where there is none, or where nobody answers any more: so a kubelet that was
started again corrects what it left behind, and two that share a node do not fight over it. A node
that is not on loopback has a kubelet of its own and is left alone. Read next: door.py.
"""

import asyncio

from sandbox.controllers.addresses import LOOPBACK
from sandbox.controllers.world import PutStatus
from sandbox.objects import Object, dig, rows

# API servers prefer the host name to the address, unless told otherwise; names need not resolve.
ADDRESSES = ({"type": "InternalIP", "address": LOOPBACK}, {"type": "Hostname", "address": LOOPBACK})
PORT = "status.daemonEndpoints.kubeletEndpoint.Port"


def plate(port: int) -> Object:
    """Return what a node's status says of a door."""
    return {
        "addresses": [dict(each) for each in ADDRESSES],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
    }


def put_up(node: Object, port: int) -> PutStatus:
    """Ask for our plate on a node."""
    status = {**(node.get("status") or {}), **plate(port)}
    return PutStatus(plural="nodes", object={**node, "status": status})


async def is_free(node: Object, port: int) -> bool:
    """Tell whether our plate belongs on a node: it has none, or one of a door that is shut."""
    if any(each.get("address") != LOOPBACK for each in rows(node, "status.addresses")):
        return False
    stands = dig(node, PORT)
    return not stands or (stands != port and not await _answers(int(stands)))


async def _answers(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    return True
