"""Which part of history a log holds: of a file, and of a real server."""

import asyncio
from argparse import Namespace
from pathlib import Path

import pytest

from heliograph.cli.app import main
from heliograph.cli.extent import Extent, check_order, covered, extent_in
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.ports.event_log import Entry
from shared.runtime.failures import FatalError
from tests.contract.test_histories import messages_of, records_of
from tests.support.nats import open_connection
from tests.unit.heliograph.cli.recorded import capsule_of

Captured = pytest.CaptureFixture[str]
RECORDS = records_of("worker-failed")
FLAGS = ("--from", "--to")


async def write(server: NatsServer) -> None:
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    for message in messages_of("worker-failed"):
        entry = Entry(subject=message.subject, id=str(message.sequence), data=message.data)
        await log.append(entry)
    await connection.close()


def test_a_capsule_covers_its_first_record_to_its_last(tmp_path: Path) -> None:
    capsule = capsule_of("worker-failed", tmp_path)

    assert covered(Namespace(capsule=capsule), "test") == (
        "the capsule covers record 1 (2030-01-01 00:00:05) to record 45 (2030-01-01 00:01:40)"
    )


def test_no_records_have_no_extent() -> None:
    assert extent_in(()) is None
    assert extent_in(RECORDS[:1]) == Extent(
        first=1, first_at=RECORDS[0].at, last=1, last_at=RECORDS[0].at
    )


def test_a_living_log_says_what_it_covers(nats: NatsServer, capsys: Captured) -> None:
    assert main(["init", "--nats-url", nats.url]) == 0
    capsys.readouterr()
    command = ["replay", "--from", "9999", "--nats-url", nats.url]
    assert main(command) == 2
    empty = capsys.readouterr().err
    asyncio.run(write(nats))
    assert main(command) == 2
    full = capsys.readouterr().err

    assert empty == (
        "heliograph: there are no decisions in that part of the log: the log is empty\n"
    )
    assert "that part of the log: the log covers record 1 (" in full
    assert ") to record 45 (" in full


@pytest.mark.parametrize("command", [["replay"], ["replay", "--step"]])
def test_a_replay_of_nothing_is_told(command: list[str], tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main([*command, "--from", "9999", "--capsule", capsule]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "in that part of the log: the capsule covers record 1 (" in said.err


@pytest.mark.parametrize("command", ["replay", "rehearse"])
def test_a_range_that_ends_before_it_begins_is_refused(
    command: str, tmp_path: Path, capsys: Captured
) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main([command, "--from", "30", "--to", "20", "--capsule", capsule]) == 2
    assert capsys.readouterr().err == "heliograph: --from: this is after --to\n"


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_rehearsal_of_nothing_says_what_there_is(
    form: str, tmp_path: Path, capsys: Captured
) -> None:
    """It is no failure: a new installation has nothing to rehearse."""
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main(["rehearse", "--from", "9999", "-o", form, "--capsule", capsule]) == 0
    assert capsys.readouterr().err.startswith("heliograph: the capsule covers record 1 (")


def test_a_record_and_a_moment_are_compared_by_what_they_reach() -> None:
    early, late = RECORDS[5].at, RECORDS[40].at

    check_order(RECORDS, (RECORDS[20].sequence, late), FLAGS)
    check_order(RECORDS, (early, RECORDS[20].sequence), FLAGS)
    check_order(RECORDS, (None, 3), FLAGS)
    with pytest.raises(FatalError, match="--from: this is after --to"):
        check_order(RECORDS, (RECORDS[20].sequence, early), FLAGS)
    with pytest.raises(FatalError, match="--from: this is after --to"):
        check_order(RECORDS, (late, early), FLAGS)
