"""One resource's history, told on as it happens."""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence

from heliograph.assembly.adapters import open_bus
from heliograph.cli.run import settings_of
from heliograph.views.bounds import Bounds
from heliograph.views.chatter import summed_up
from heliograph.views.timeline import Moment, Teller
from shared.events.codec import UnreadableRecordError, decode
from shared.events.subjects import everything_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import FromSequence, Message, Reset

Show = Callable[[Sequence[Moment]], None]


async def follow(args: Namespace, key: ResourceKey, bounds: Bounds, show: Show) -> None:
    """Tell what is there, then what comes, until cancelled; over restarts of the bus."""
    async with open_bus(settings_of(args).bus, "timeline") as bus:
        teller, told = Teller(), 0
        async with bus.log.follow((everything_of(key),), FromSequence(1)) as news:
            async for each in news:
                if isinstance(each, Reset):
                    teller, told = Teller(), 0
                    continue
                found = [one for one in _moments(teller, each.messages) if one.sequence > told]
                told = max([told, *(one.sequence for one in found)])
                fitting = [one for one in found if bounds.holds(one.sequence, one.at)]
                show(tuple(fitting if args.pods else summed_up(fitting)))


def _moments(teller: Teller, messages: Iterable[Message]) -> Iterator[Moment]:
    for message in messages:
        if message.gone:
            continue
        try:
            yield from teller.tell(decode(message))
        except UnreadableRecordError:
            continue
