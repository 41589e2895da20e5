"""Who looks after gateways and routes: somebody who does as they say and tells so, sometimes late.

Only worlds whose RayService moves its traffic in steps have these kinds. The gateway leads nobody
anywhere: what counts is what the route says, and whether its controller has agreed to it.
"""

import asyncio
from random import Random
from typing import Any

from sandbox.cluster import Cluster
from sandbox.objects import Object
from tests.e2e.services.crossing import GROUP, KINDS, definition, nodded

GATEWAYS, ROUTES = (f"{plural}.{GROUP}" for plural in KINDS)
KINDS_OF_STEPS = (GATEWAYS, ROUTES)
DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
REACTIONS = (0.05, 0.05, 0.3, 0.3, 4.0)
"""How long it takes to agree to a change, in seconds."""


class GatewayController:
    """Nods at every gateway and route, unless it is away or refuses."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.away_until = 0.0
        self.refuses = False
        self._cluster = cluster
        self._chance = Random(f"{seed} gateways")
        self._changed = asyncio.Event()
        for plural, kind in KINDS.items():
            cluster.create(DEFINITIONS, definition(plural, kind))
        cluster.state.store.listen(self._changed.set)

    def wake(self) -> None:
        """Look again, as after a change of mind."""
        self._changed.set()

    def mend(self) -> None:
        """Be there, and agree to everything."""
        self.away_until, self.refuses = 0.0, False
        self.wake()

    async def live(self) -> None:
        """Nod until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await self._changed.wait()
            self._changed.clear()
            if not any(self._unheard()):
                continue
            await asyncio.sleep(max(self._chance.choice(REACTIONS), self.away_until - loop.time()))
            for resource, one in self._unheard():
                place = one["metadata"]["namespace"], one["metadata"]["name"]
                told = {"status": self._status(one)}
                self._cluster.patch(resource, *place, told, subresource="status")

    def _unheard(self) -> list[tuple[str, Object]]:
        """Return what was not told how it stands."""
        return [
            (resource, one)
            for resource in KINDS_OF_STEPS
            for one in self._cluster.state.store.objects(resource)
            if one.get("status") != self._status(one)
        ]

    def _status(self, one: Object) -> dict[str, Any]:
        status: dict[str, Any] = nodded(one)
        for told in (status, *status.get("parents", ())):
            for condition in told.get("conditions", ()):
                condition["status"] = "False" if self.refuses else "True"
        return status
