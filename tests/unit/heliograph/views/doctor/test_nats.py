"""What is said of the server and the streams."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.doctor.checks import Mark
from heliograph.views.doctor.facts import Account, Difference, Facts, Server, Stream, Unknown
from heliograph.views.doctor.nats import amount
from tests.support.examinations import BUS, STREAMS, bus_with, only_trouble, troubles

SERVER = Server(version="2.15.1", jetstream=True, skew=timedelta())


def stream_with(**changes: object) -> Facts:
    return bus_with(streams={**STREAMS, "RAYLOG": replace(STREAMS["RAYLOG"], **changes)})


@pytest.mark.parametrize("version", ["2.15.0", "v2.15.1", "2.16.0-beta", "3.0.1"])
def test_a_server_that_is_new_enough_is_well(version: str) -> None:
    assert troubles(bus_with(server=replace(SERVER, version=version))) == ()


@pytest.mark.parametrize(
    ("version", "mark"),
    [("2.11.9", Mark.WRONG), ("2.14.2", Mark.WARNING), ("main", Mark.UNKNOWN)],
)
def test_another_version_is_told(version: str, mark: Mark) -> None:
    found = only_trouble(bus_with(server=replace(SERVER, version=version)))

    assert (found.what, found.mark) == ("version", mark)
    assert version in found.says


def test_a_server_without_jetstream_is_wrong() -> None:
    found = only_trouble(bus_with(server=replace(SERVER, jetstream=False), streams={}))

    assert (found.what, found.mark) == ("JetStream", Mark.WRONG)
    assert "jetstream {" in found.todo[0]


@pytest.mark.parametrize(
    ("skew", "words"),
    [(timedelta(seconds=90), "1 min 30 s ahead of"), (timedelta(seconds=-5), "5.0 s behind")],
)
def test_a_clock_that_differs_is_told_with_its_side(skew: timedelta, words: str) -> None:
    found = only_trouble(bus_with(server=replace(SERVER, skew=skew)))

    assert (found.what, found.mark) == ("clock", Mark.WARNING)
    assert words in found.says


@pytest.mark.parametrize(("used", "mark"), [(79, Mark.WELL), (80, Mark.WARNING), (95, Mark.WRONG)])
def test_an_account_that_is_nearly_full_is_told(used: int, mark: Mark) -> None:
    facts = bus_with(account=Account(storage=used << 20, storage_most=100 << 20))
    found = [one.mark for one in troubles(facts)]

    assert found == ([] if mark is Mark.WELL else [mark])


def test_a_limit_that_could_not_be_read_is_unknown() -> None:
    found = only_trouble(bus_with(account=Unknown("no answer within 10 s")))

    assert (found.what, found.mark) == ("limits", Mark.UNKNOWN)


@pytest.mark.parametrize("name", STREAMS)
def test_a_missing_stream_is_wrong_and_nothing_that_rests_on_it_is_told(name: str) -> None:
    missing = Stream(name=name, there=False)

    found = only_trouble(bus_with(streams={**STREAMS, name: missing}))

    assert (found.area, found.what, found.mark) == ("streams", name, Mark.WRONG)
    assert found.todo == ("heliograph init",)
    assert found.matters


def test_a_stream_that_could_not_be_asked_about_is_not_missing() -> None:
    found = only_trouble(bus_with(streams={**STREAMS, "RAYLOG": Unknown("no leader")}))

    assert (found.mark, found.says) == (Mark.UNKNOWN, "could not tell: no leader")


def test_a_stream_that_differs_from_its_declaration_is_wrong() -> None:
    changed = Difference(setting="deny_delete", now="false", asked="true")

    found = only_trouble(stream_with(differences=(changed,)))

    assert found.mark is Mark.WRONG
    assert "deny_delete is false, asked true" in found.says
    assert found.todo[0].startswith("heliograph init")


def test_a_setting_that_people_choose_is_a_warning() -> None:
    kept = Difference(setting="max_age", now="14 d", asked="7 d", chosen=True)

    found = only_trouble(stream_with(differences=(kept,)))

    assert found.mark is Mark.WARNING
    assert "--log-retention" in found.todo[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bytes": 90, "bytes_most": 100}, "90 B of at most 100 B"),
        ({"consumers": 250, "consumers_most": 256}, "250 of at most 256 consumers"),
        ({"behind": ("n2",), "copies": 3}, "the copy on n2 is not current"),
    ],
)
def test_a_stream_in_need_is_told(changes: dict[str, object], words: str) -> None:
    found = only_trouble(stream_with(**changes))

    assert found.mark is Mark.WARNING
    assert words in found.says


def test_one_copy_will_do_on_one_server_and_not_in_a_cluster() -> None:
    clustered = troubles(bus_with(server=replace(SERVER, cluster="three")))

    assert [one.what for one in clustered] == list(STREAMS)
    assert {one.todo for one in clustered} == {("heliograph init --log-replicas 3",)}


def test_a_server_that_does_not_answer_is_one_line() -> None:
    gone = Unknown("no answer within 10 s (connection refused)")

    found = only_trouble(bus_with(server=gone, streams={}))

    assert (found.area, found.mark, found.says) == ("NATS", Mark.WRONG, gone.why)
    assert BUS.where in found.todo[0]


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")]
)
def test_amounts_are_rough(size: int, words: str) -> None:
    assert amount(size) == words
