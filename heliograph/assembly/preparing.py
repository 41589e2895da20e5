"""Bring a NATS server to what we need: streams and consumers, made or updated."""

from heliograph.assembly.adapters import connected, shown
from shared.bus.declarations import Installation
from shared.bus.errors import ApiError
from shared.bus.streams import Prepared, ShrinkRefusedError, init
from shared.ports.event_log import BusUnavailable
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings


async def prepare(settings: BusSettings, *, allow_shrink: bool = False) -> tuple[Prepared, ...]:
    """Make or update streams and consumers."""
    chosen = Installation(
        max_age=settings.log_retention,
        news_age=settings.events_retention,
        replicas=settings.log_replicas,
    )
    async with connected(settings, "init") as connection:
        try:
            return await init(connection, chosen, allow_shrink=allow_shrink)
        except ShrinkRefusedError as problem:
            raise FatalError(f"{problem}; say --allow-shrink if that is meant") from problem
        except (ApiError, BusUnavailable) as problem:
            raise FatalError(
                f"NATS at {shown(settings.nats_url)} does not take the streams: {problem}"
            ) from problem
