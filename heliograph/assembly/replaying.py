"""Read history once and decide it again as it goes by; memory holds views, not the log."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from msgspec import Struct

from heliograph.assembly.capsules import UNJUDGED, messages_of
from heliograph.assembly.reading import EVERYTHING
from heliograph.views.bounds import Bounds
from heliograph.views.deciding import deciding_with
from heliograph.views.replay import Replayer, Verdict
from shared.events.codec import UnreadableRecordError, decode
from shared.events.decisions import SettingsUsed
from shared.events.subjects import everything_of
from shared.ports.event_log import Message

Read = Callable[[Sequence[str]], AsyncIterator[Message]]
"""Read all messages that filters name, oldest first."""

ALL_SETTINGS = ("ray.settings.*",)
WHOLE = Bounds()


class Checked(Struct, frozen=True, kw_only=True):
    """How a capsule is decided by this version; every difference is a sentence."""

    identical: int
    missing: int
    differences: tuple[str, ...]


async def verdicts(
    read: Read,
    filters: Sequence[str],
    bounds: Bounds = WHOLE,
    *,
    hear: Callable[[Message], None] | None = None,
) -> AsyncIterator[Verdict]:
    """Compare the acts of a range, in order; `hear` is told every message of it first."""
    settings = await settings_of_old(read)
    replayer = Replayer(deciding_with(settings), settings)
    async for message in read(filters):
        if bounds.passed(message.sequence, message.at):
            break
        if hear is not None:
            hear(message)
        inside = bounds.begun(message.sequence, message.at) and UNJUDGED not in message.headers
        verdict = replayer.take(message, judge=inside)
        if verdict is not None:
            yield verdict
    for key in replayer.late:
        history = [message async for message in read((everything_of(key),))]
        for verdict in replayer.revisit(key, history):
            yield verdict


async def settings_of_old(read: Read) -> dict[str, dict[str, object]]:
    """Return all settings that are still in the log, by digest."""
    found: dict[str, dict[str, object]] = {}
    async for message in read(ALL_SETTINGS):
        try:
            body = decode(message).envelope.body
        except UnreadableRecordError:
            continue
        if isinstance(body, SettingsUsed):
            found[body.digest] = body.settings
    return found


def check_capsule(path: Path) -> Checked:
    """Decide a capsule again, without a bus: for regression tests."""
    return asyncio.run(_checked(path))


async def _checked(path: Path) -> Checked:
    found = [each async for each in verdicts(lambda filters: capsuled(path, filters), EVERYTHING)]
    return Checked(
        identical=sum(1 for each in found if not each.missing and not each.differences),
        missing=sum(1 for each in found if each.missing),
        differences=tuple(
            f"{each.key}, act {each.sequence}: {line}"
            for each in found
            for line in each.differences
        ),
    )


async def capsuled(path: Path, filters: Sequence[str]) -> AsyncIterator[Message]:
    """Read a capsule the way a log is read."""
    for message in messages_of(path, filters):
        yield message
