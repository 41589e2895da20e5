"""Gateways for RayServices that move their traffic in steps: the kinds, and somebody who nods.

Invariant: both operators meet the same gateway, which agrees to whatever it is asked.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import aiohttp
import msgspec
import yaml

from tests.e2e.services.crossing import GROUP, KINDS, definition, nodded
from tests.support.processes import Installation, wait_until

PATH = f"/apis/{GROUP}/v1"
MERGES = {"Content-Type": "application/merge-patch+json"}


def make_kinds(here: Installation) -> None:
    """Define what a gateway needs; wait until it is served."""
    given = yaml.safe_dump_all(definition(plural, kind) for plural, kind in KINDS.items())
    made = here.kubectl("apply", "--server-side", "-f", "-", given=given)
    assert made.returncode == 0, made.stderr
    asked = ",".join(f"{plural}.{GROUP}" for plural in KINDS)
    wait_until(lambda: here.kubectl("get", asked, "-A").returncode == 0, "gateways are served")


async def nod(session: aiohttp.ClientSession, spaces: Iterable[Mapping[str, Any]]) -> None:
    """Say of every gateway and route that it works; one that has gone meanwhile is no trouble."""
    for space in spaces:
        for plural in KINDS:
            for one in space.get(plural, ()):
                if one.get("status") != nodded(one):
                    space_, name = one["metadata"]["namespace"], one["metadata"]["name"]
                    path = f"{PATH}/namespaces/{space_}/{plural}/{name}/status"
                    told = msgspec.json.encode({"status": nodded(one)})
                    async with session.patch(path, data=told, headers=MERGES):
                        pass
