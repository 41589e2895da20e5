"""One question to a server: its answer, or why there is none. Never an absence by mistake."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import msgspec

from heliograph.views.doctor.facts import Unknown
from shared.bus.errors import ApiError, NoResponders
from shared.events.codec import UnreadableRecordError
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable
from shared.ports.event_log import BusUnavailable
from shared.runtime.failures import FatalError

T = TypeVar("T")
EXPECTED = (
    ApiError,
    BusUnavailable,
    ClusterRefusal,
    ClusterUnavailable,
    FatalError,
    UnreadableRecordError,
    msgspec.MsgspecError,
)


async def told(question: Awaitable[T], seconds: float) -> T | Unknown:
    """Wait for an answer, so long and no longer."""
    try:
        async with asyncio.timeout(seconds):
            return await question
    except TimeoutError:
        return Unknown(f"no answer within {seconds:g} s")
    except NoResponders as problem:
        return Unknown(f"nobody answers on {problem}")
    except EXPECTED as problem:
        return Unknown(str(problem) or type(problem).__name__)
