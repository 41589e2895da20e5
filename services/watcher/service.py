"""The watcher: every watched kind under one task group.

Any number of watchers may run: for each kind one of them holds the lease and publishes, the others
wait. Stopping is cancellation; leases are given back, so that the next one need not wait.
"""

import asyncio
from collections.abc import Sequence

from services.watcher.sources.guard import Guard
from services.watcher.sources.kinds import WATCHED
from services.watcher.sources.reign import Reign
from services.watcher.sources.session import WatcherSettings, World
from shared.bus.tenancy import Tenant
from shared.ports.cluster import Kind


class Watcher:
    """One process's share in watching."""

    def __init__(
        self, world: World, settings: WatcherSettings, *, kinds: Sequence[Kind] = WATCHED
    ) -> None:
        self._tenant = Tenant(world.bus, f"watcher-{world.member}")
        self._guard = Guard(world.bus.log)
        self._reigns = {
            kind.name: Reign(kind, world, settings, tenant=self._tenant, guard=self._guard)
            for kind in kinds
        }

    async def run(self) -> None:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._tenant.run(), name="leases")
            group.create_task(self._guard.run(), name="guard of the log")
            for name, reign in self._reigns.items():
                group.create_task(reign.run(), name=f"watch {name}")
