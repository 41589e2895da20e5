"""Hold a lease as a process of its own would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.bus.leases import Terms
from shared.bus.tenancy import Held, Tenant
from shared.ports.event_log import Bus


@asynccontextmanager
async def tenant(bus: Bus, member: str, *, terms: Terms | None = None) -> AsyncIterator[Tenant]:
    """Be a tenant for a while."""
    us = Tenant(bus, member, terms=terms)
    running = asyncio.create_task(us.run())
    try:
        yield us
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def holding(
    bus: Bus, kind: str, value: str, *, terms: Terms | None = None
) -> AsyncIterator[Held]:
    """Be a tenant of one lease; the member is called as the lease's value."""
    async with tenant(bus, value, terms=terms) as us, us.hold(kind, value) as held:
        yield held
