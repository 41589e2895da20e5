"""That the rules break over a resource is written once, however much time and news go by."""

from services.status.conditions.blocked import BLOCKED
from services.status.conditions.transitions import conditions_of
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import Parked
from shared.kernel.manifests import uid_of
from shared.ports.event_log import Entry
from tests.support.builders import NOON
from tests.unit.services.status.serving import Place, Writer, served, settle
from tests.unit.services.watcher.watched import DEMO


async def parks(place: Place, where: str) -> None:
    """The rules break over the resource, or hold again."""
    log, subject = place.server.connect("reconciler").log, subjects.parked(DEMO)
    last = await log.last(subject)
    fence = last.sequence if last else 0
    envelope = Envelope(
        schema=SCHEMA,
        id=f"parked {fence}",
        body=Parked(generation=1, act=0, where=where),
        code="test",
        written_at=NOON,
        key=DEMO,
        uid=uid_of(place.stored()),
    )
    entry = Entry(subject=subject, id=envelope.id, data=encode(envelope), fence=fence)
    await log.append(entry)


async def test_it_is_written_once_and_taken_out_once() -> None:
    place = Place()
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()
        before = writer.done
        await parks(place, "KeyError in head")
        await settle(60)
        parked, said = writer.done - before, conditions_of(place.status()).get(BLOCKED, {})
        await parks(place, "")
        await settle(60)

    assert (parked, said.get("reason")) == (1, "Parked")
    assert writer.done - before == 2
    assert BLOCKED not in conditions_of(place.status())
