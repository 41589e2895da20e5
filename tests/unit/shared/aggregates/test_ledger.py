"""The ledger: whoever followed, whoever loaded late and whoever hears twice see the same."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.aggregates.ledger import Ledger
from shared.aggregates.view import View, view
from shared.events import subjects
from shared.events.envelope import Record
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message
from tests.support.builders import (
    FORMER_UID,
    KEY,
    QUOTA,
    UID,
    act,
    creation,
    deletion,
    done,
    gone,
    head,
    owned_by,
    resource,
    resumed,
    service,
    suspended,
    worker,
)
from tests.support.history import History, message_of

Step = Callable[[History], None]
FIRST, SECOND = act(creation("w1"), deletion("w2"), id_="1"), act(creation("w3"), id_="2")

STEPS: tuple[Step, ...] = (
    lambda history: history.sees(resource(version=1)),
    lambda history: history.sees(resource(version=5, generation=2)),
    lambda history: history.sees(resource(version=9, uid=FORMER_UID)),
    lambda history: history.sees(replace(gone(head()), kind="raycluster", name="demo", uid=UID)),
    lambda history: history.sees(worker("w1")),
    lambda history: history.sees(gone(worker("w1"))),
    lambda history: history.sees(owned_by(worker("w2"), FORMER_UID), service()),
    lambda history: history.acts(FIRST),
    lambda history: history.acts(SECOND),
    lambda history: history.answers(FIRST, done("w1"), QUOTA),
    lambda history: history.answers(SECOND, QUOTA),
    lambda history: history.fires(FIRST, "wake"),
    lambda history: history.writes_status(suspended(1), 3),
    lambda history: history.writes_status(resumed(1), 30),
    lambda history: history.passes(30),
)
SEED = st.integers(min_value=0, max_value=2**32)
HISTORIES = st.lists(st.sampled_from(STEPS), max_size=25)


def play(steps: list[Step]) -> History:
    history = History()
    for step in steps:
        step(history)
    return history


def last_records(records: list[Record]) -> list[Record]:
    return list({record.subject: record for record in records}.values())


def follow(messages: list[Message]) -> View:
    ledger = Ledger()
    for message in messages:
        ledger.apply(message)
    return ledger.view(KEY)


@given(HISTORIES)
def test_following_equals_loading_at_every_prefix_of_the_log(steps: list[Step]) -> None:
    history, ledger = play(steps), Ledger()

    for end, message in enumerate(history.messages(), start=1):
        ledger.apply(message)
        assert ledger.view(KEY) == view(KEY, last_records(history.records[:end]))


@given(HISTORIES, SEED)
def test_neither_order_nor_repeats_change_what_is_known(steps: list[Step], seed: int) -> None:
    messages = play(steps).messages()
    shuffled = messages * 2
    random.Random(seed).shuffle(shuffled)

    assert follow(shuffled) == follow(messages)


@given(HISTORIES, SEED)
def test_last_records_may_be_folded_in_any_order(steps: list[Step], seed: int) -> None:
    history = play(steps)
    records = last_records(history.records)
    random.Random(seed).shuffle(records)

    assert view(KEY, records) == history.view()
    assert list(view(KEY, records).children) == list(history.view().children)


@given(HISTORIES, st.integers(min_value=0, max_value=25))
def test_a_snapshot_and_the_rest_are_the_whole(steps: list[Step], cut: int) -> None:
    history = play(steps)
    snapshot = [message_of(record) for record in last_records(history.records[:cut])]

    assert follow(snapshot + history.messages()[cut:]) == follow(history.messages())


def test_applying_says_whom_a_message_concerns() -> None:
    history = History()
    history.sees(resource())
    ledger = Ledger()

    assert ledger.apply(history.messages()[0]) == KEY
    assert ledger.apply(replace(history.messages()[0], subject=subjects.sync("pod"))) is None
    assert list(ledger.resources()) == [KEY]


def test_resources_do_not_see_each_other() -> None:
    other = ResourceKey("raycluster", "prod", "other")
    ours, theirs, ledger = History(), History(other), Ledger()
    ours.sees(resource(), worker("w1"))
    theirs.acts(FIRST)

    for message in (*ours.messages(), *theirs.messages()):
        ledger.apply(message)

    assert ledger.view(KEY) == ours.view()
    assert ledger.view(other) == theirs.view()


def unreadable(message: Message, sequence: int) -> Message:
    return replace(message, sequence=sequence, data=b'{"schema":99}')


def test_a_record_that_cannot_be_read_is_named_and_hides_nothing_else() -> None:
    history, ledger = History(), Ledger()
    history.sees(resource())
    message = history.messages()[0]
    ledger.apply(message)

    assert ledger.apply(unreadable(message, 2)) == KEY
    (told,) = ledger.unreadable(KEY)
    assert (told.sequence, told.subject, ledger.unreadable_resources()) == (2, message.subject, 1)
    assert told.problem == (
        f"record 2 on {message.subject} cannot be read: "
        "the record has schema 99, this version reads up to 1"
    )
    assert ledger.view(KEY) == history.view()


def test_a_newer_record_that_can_be_read_takes_the_place_of_one_that_could_not() -> None:
    history, ledger = History(), Ledger()
    history.sees(resource(), resource(version=2))
    first, second = history.messages()
    ledger.apply(unreadable(first, 1))
    ledger.apply(second)

    assert (ledger.unreadable(KEY), ledger.unreadable_resources()) == ((), 0)
    assert ledger.view(KEY).own == resource(version=2)


@pytest.mark.parametrize("broken", [False, True])
def test_what_is_forgotten_leaves_no_trace(*, broken: bool) -> None:
    history, ledger = History(), Ledger()
    history.sees(resource())
    message = history.messages()[0]
    ledger.apply(unreadable(message, 1) if broken else message)

    ledger.forget([KEY])

    assert (list(ledger.resources()), ledger.unreadable(KEY)) == ([], ())
    assert ledger.view(KEY) == view(KEY, ())


def test_an_older_record_does_not_clear_the_mark_of_a_newer_unreadable_one() -> None:
    history = History()
    history.sees(resource(), resource(version=2))
    older, newer = history.messages()
    ledger = Ledger()
    for message in (older, replace(newer, data=b"{}"), older):
        ledger.apply(message)

    assert len(ledger.unreadable(KEY)) == 1


def test_an_older_unreadable_record_does_not_mark_a_newer_readable_one() -> None:
    history = History()
    history.sees(resource(), resource(version=2))
    older, newer = history.messages()
    ledger = Ledger()
    for message in (newer, replace(older, data=b"{}")):
        ledger.apply(message)

    assert ledger.unreadable(KEY) == ()


def test_a_marker_of_expiry_takes_the_record_away() -> None:
    history = History()
    history.sees(resource())
    (message,) = history.messages()
    ledger = Ledger()
    ledger.apply(message)
    ledger.apply(replace(message, sequence=9, data=b"", gone=True))

    assert (ledger.unreadable(KEY), ledger.view(KEY).own) == ((), None)


def test_an_outline_is_the_view_without_what_belongs_to_the_resource() -> None:
    history, ledger = History(), Ledger()
    history.sees(resource(), worker("w1"), service())
    history.acts(FIRST)
    history.writes_status(suspended(1), 7)
    for message in history.messages():
        ledger.apply(message)
    whole, outline = ledger.view(KEY), ledger.outline(KEY)

    assert (outline.own, outline.status) == (whole.own, whole.status)
    assert (dict(outline.children), outline.act) == ({}, None)
    assert (ledger.size(KEY), ledger.size(replace(KEY, name="unknown"))) == (5, 0)
