"""The last acts of recorded histories, read for what waits."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.doctor.acts import ActBook
from heliograph.views.doctor.facts import Acts
from shared.events import subjects
from shared.events.approvals import HELD
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.records import Parked
from shared.kernel.instants import EPOCH
from shared.ports.event_log import Message
from tests.contract.test_histories import records_of
from tests.support.builders import expectation
from tests.support.history import message_of

QUOTA = "refused-by-quota"


def told(records: Iterable[Record], after: timedelta = timedelta()) -> Acts:
    book, last = ActBook(), EPOCH
    for record in records:
        book.take(message_of(record))
        last = record.at
    return book.tell(last + after)


def first_with_actions(name: str) -> Record:
    return next(
        record
        for record in records_of(name)
        if isinstance(body := record.envelope.body, Decided) and body.actions
    )


def test_a_history_that_ended_well_leaves_nothing_open() -> None:
    found = told(records_of("created-and-deleted"))

    assert (found.count, found.unanswered, found.held, found.refused) == (1, (), (), ())
    assert [one.code for one in found.codes] == ["heliograph/0.1.0"]
    assert found.rules == 1


def test_an_act_without_an_answer_is_open_since_it_was_written() -> None:
    act = first_with_actions("created-and-deleted")

    (found,) = told([act]).unanswered

    assert (found.resource, found.since) == ("raycluster/default/first", act.at)
    assert "actions" in found.words


def test_the_answer_of_an_earlier_act_does_not_close_the_last() -> None:
    records = records_of("scaled-up-and-down")
    acts = [
        record
        for record in records
        if isinstance(body := record.envelope.body, Decided) and body.actions
    ]
    cut = [record for record in records if record.sequence <= acts[-1].sequence]

    assert [one.since for one in told(cut).unanswered] == [acts[-1].at]


def refused() -> list[Record]:
    """Return the history up to its first act with a trouble."""
    records = records_of(QUOTA)
    first = next(
        record.sequence
        for record in records
        if isinstance(body := record.envelope.body, Decided) and body.troubles
    )
    return [record for record in records if record.sequence <= first]


def test_what_was_refused_is_told_in_the_words_of_the_refusal() -> None:
    (found,) = told(refused()).refused

    assert "quota" in found.words
    assert told(refused()).held == ()


def test_what_ended_in_an_error_is_told_as_well() -> None:
    *before, last = refused()
    body = last.envelope.body
    assert isinstance(body, Decided)
    doubt = replace(expectation("w1"), error="the API server answered 500: etcd is full")
    act = replace(body, troubles=(), expectations=(doubt,))
    changed = replace(last, envelope=replace(last.envelope, body=act))

    (found,) = told([*before, changed]).refused

    assert found.words == "create pod w1: the API server answered 500: etcd is full"


def test_what_the_budget_holds_back_is_told_apart() -> None:
    *before, last = refused()
    body = last.envelope.body
    assert isinstance(body, Decided)
    held = replace(body.troubles[0], message=f"{HELD}5000 deletions in all are the limit")
    act = replace(body, troubles=(held,))
    changed = replace(last, envelope=replace(last.envelope, body=act))

    found = told([*before, changed])

    assert (len(found.held), found.refused) == (1, ())


@pytest.mark.parametrize(
    ("act", "where", "found"),
    [(0, "KeyError in head", []), (1, "KeyError in head", ["KeyError in head"]), (1, "", [])],
)
def test_what_the_rules_broke_over_since_its_last_act_is_parked(
    act: int, where: str, found: list[str]
) -> None:
    *_, last = refused()
    assert last.envelope.key is not None
    body = Parked(generation=1, act=last.sequence * act, where=where)
    parked = replace(
        last,
        sequence=last.sequence + 1,
        subject=subjects.parked(last.envelope.key),
        envelope=replace(last.envelope, body=body),
    )

    assert [one.words for one in told([*refused(), parked]).parked] == found


def test_a_timer_is_overdue_when_its_time_is_over_and_it_did_not_go_off() -> None:
    assert told(refused()).overdue == ()
    late = told(refused(), after=timedelta(hours=1)).overdue
    assert {one.resource for one in late} == {"raycluster/default/first"}
    assert any("retry" in one.words for one in late)


def test_a_timer_that_went_off_is_not_overdue() -> None:
    records = refused()
    fired = [record for record in records_of(QUOTA) if ".fire.retry" in record.subject][:1]

    late = told([*records, *fired], after=timedelta(hours=1)).overdue

    assert fired
    assert not any("retry" in one.words for one in late)


def test_a_resource_whose_record_cannot_be_read_is_named_and_not_believed() -> None:
    act = first_with_actions("created-and-deleted")
    book = ActBook()
    book.take(message_of(act))
    book.take(replace(message_of(act), sequence=act.sequence + 1, data=b'{"schema": 99}'))

    found = book.tell(act.at)

    assert found.unreadable == ("raycluster/default/first",)
    assert (found.count, found.unanswered) == (0, ())


def test_what_concerns_no_resource_is_left_out() -> None:
    book = ActBook()
    book.take(Message(sequence=1, at=first_with_actions(QUOTA).at, subject="ray.mode"))

    assert book.tell(EPOCH) == Acts()
