"""Every decision of a run with changes and crashes, made again by a fresh process."""

import asyncio
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from shared.bus.jetstream import JetStreamBus
from shared.events.codec import encode
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.ports.event_log import Entry
from tests.e2e.story import closed_books, records_of
from tests.support.fleet import fleet_in, is_empty, is_settled
from tests.support.kubes import Kube, installed
from tests.support.nats import open_connection
from tests.support.processes import PATIENCE, Installation

pytestmark = [pytest.mark.xdist_group("replay"), pytest.mark.timeout(420)]

NAMES = ("one", "two", "three")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    """Run an installation through scaling, two crashes and an end; then stop its services."""
    with installed(tmp_path_factory.mktemp("replay"), kube) as installation:
        for name in ("all-1", "all-2"):
            installation.start_service(name, "all")
        members = installation.members("all")
        for member in members:
            member.wait_ready()
        asyncio.run(live(installation))
        for member in members:
            assert member.end() == 0, member.said()
        yield installation


async def live(here: Installation) -> None:
    async with fleet_in(here) as (fleet, world):
        for name in NAMES:
            await fleet.create(name, 1)
        for victim, workers in (("all-1", 4), ("all-2", 0)):
            for name in NAMES:
                await fleet.scale(name, workers)
            here.processes[victim].kill()
            here.processes[victim].start()
            await world.until(lambda now: is_settled(now, fleet.wanted), "all is as wished")
        for name in NAMES:
            await fleet.delete(name)
        await world.until(is_empty, "nothing is left")
    await closed_books(here, here.namespace, PATIENCE)


async def forge(here: Installation) -> Record:
    """Write the first act again, with a reason that nobody had; return the first."""
    acts = [one for one in await records_of(here) if isinstance(one.envelope.body, Decided)]
    first = acts[0].envelope.body
    assert isinstance(first, Decided)
    forged = replace(first, id="forged", because=("somebody said so", *first.because[1:]))
    envelope = replace(acts[0].envelope, id="forged", body=forged)
    connection = await open_connection(here.nats, "forger")
    try:
        entry = Entry(subject=acts[0].subject, id="forged", data=encode(envelope))
        await JetStreamBus(connection).log.append(entry)
    finally:
        await connection.close()
    return acts[0]


def test_a_fresh_process_decides_everything_again_until_an_act_is_forged(
    here: Installation,
) -> None:
    honest = here.heliograph("replay", "--all")
    original = asyncio.run(forge(here))
    tampered = here.heliograph("replay", "--all")
    one = here.heliograph("replay", str(original.envelope.key))

    assert (honest.returncode, honest.stderr) == (0, "")
    told = honest.stdout.splitlines()
    assert told[-1] == "identical"
    count = int(told[0].split()[0])
    assert told[0].startswith(f"{count} of {count} decisions of 3 resources")
    assert tampered.returncode == one.returncode == 1
    lines = tampered.stdout.splitlines()
    assert lines[0].startswith(f"{count} of {count + 1} decisions of 3 resources")
    assert lines[1].startswith(f"first difference: {original.envelope.key}, act ")
    assert any("somebody said so" in line for line in lines)
    assert lines[-1] == one.stdout.splitlines()[-1] == "1 differ"
