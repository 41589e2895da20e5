"""Hold a lease as a process of its own would; or say that somebody does, and has listed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from shared.bus.leases import Claim, Terms, lease_subject, tenancy_subject
from shared.bus.tenancy import Held, Tenant
from shared.events.codec import encode
from shared.events.records import KindListed
from shared.ports.event_log import Bus, Entry


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


async def claim(bus: Bus, kind: str, session: str) -> None:
    """Give a kind's lease to a session, whose process stays."""
    await stay(bus, session)
    claimed = encode(Claim(value=session, tenancy=session))
    await bus.presence.append(Entry(subject=lease_subject(kind), id="", data=claimed))


async def stay(bus: Bus, session: str, ttl: timedelta | None = None) -> None:
    """Say that the process of a session is there."""
    await bus.presence.append(
        Entry(subject=tenancy_subject(session), id="", data=session.encode(), ttl=ttl)
    )


def listed(kind: str, session: str) -> KindListed:
    """A session's word that it has listed a kind."""
    return KindListed(kind=kind, session=session, number=1, resource_version=1, count=0)
