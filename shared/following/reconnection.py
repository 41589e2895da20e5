"""Waiting for the moment after which nothing read before may be trusted."""

import asyncio

from shared.ports.event_log import Bus

POLL = 0.2
"""How often a reconnection is looked for, in seconds; commits check it for themselves."""


async def wait_for_reconnection(bus: Bus, generation: int) -> None:
    """Return once the connection is not the given one any more."""
    while bus.generation == generation:  # noqa: ASYNC110 - the port counts, it does not call back
        await asyncio.sleep(POLL)
