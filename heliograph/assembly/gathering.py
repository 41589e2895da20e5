"""Read what a capsule is cut from: resources, what they are linked to, and what stands beside."""

import logging
from collections.abc import AsyncIterator, Sequence

from heliograph.assembly.reading import EVERYTHING
from heliograph.assembly.replaying import ALL_SETTINGS, Read
from heliograph.views.capsule import linked
from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.events.subjects import ALL_SYNCS, MODE, everything_of
from shared.kernel.keys import ResourceKey
from shared.runtime.failures import FatalError

log = logging.getLogger(__name__)


async def gather(read: Read, keys: Sequence[ResourceKey]) -> tuple[Record, ...]:
    """Read these resources, their owners and what they own; all of the log if none is named."""
    if not keys:
        return tuple([record async for record in _records(read, EVERYTHING)])
    found: dict[ResourceKey, list[Record]] = {}
    for key in keys:
        await _follow(read, key, found, up=True, down=True)
        if not found[key]:
            raise FatalError(f"the log knows nothing of {key}")
    beside = [record async for record in _records(read, (*ALL_SETTINGS, ALL_SYNCS, MODE))]
    histories = (record for history in found.values() for record in history)
    return tuple(sorted((*beside, *histories), key=lambda record: record.sequence))


async def _follow(
    read: Read, key: ResourceKey, found: dict[ResourceKey, list[Record]], *, up: bool, down: bool
) -> None:
    """Read a resource, then go on in the directions that are asked for."""
    if key not in found:
        found[key] = [record async for record in _records(read, (everything_of(key),))]
    above, below = linked(key, found[key])
    for other in sorted(above if up else ()):
        if other not in found:
            await _follow(read, other, found, up=True, down=False)
    for other in sorted(below if down else ()):
        if other not in found:
            await _follow(read, other, found, up=False, down=True)


async def _records(read: Read, filters: Sequence[str]) -> AsyncIterator[Record]:
    async for message in read(filters):
        try:
            yield decode(message)
        except UnreadableRecordError as problem:
            log.warning("record left out", extra={"error": str(problem)})
