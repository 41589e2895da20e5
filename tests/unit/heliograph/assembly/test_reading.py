"""Reading the log for people: everything that can be read, and a word about what cannot."""

import logging

import pytest

from heliograph.assembly.reading import read_records
from shared.bus.memory import MemoryServer
from shared.events.subjects import everything_of, own
from tests.support.builders import KEY, resource
from tests.support.buses import write
from tests.support.history import History


async def test_reads_oldest_first_and_leaves_out_what_cannot_be_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    history = History()
    history.sees(resource(), resource(version=2))
    log = MemoryServer().connect("test").log
    first, second = history.messages()
    await write(log, own(KEY), first.data)
    await write(log, own(KEY), b"not a record")
    await write(log, own(KEY), second.data)

    with caplog.at_level(logging.WARNING):
        records = await read_records(log, (everything_of(KEY),))

    assert [record.sequence for record in records] == [1, 3]
    assert [record.envelope for record in records] == [each.envelope for each in history.records]
    assert [record.message for record in caplog.records] == ["record left out"]


async def test_an_empty_log_has_no_records() -> None:
    assert await read_records(MemoryServer().connect("test").log) == ()
