"""Waits over time: since when, how long usually, and that trying again does not end one."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.waits import book_of, span_words, usual, wait_words
from shared.events.objects import Container, ObjectGone, PodSeen
from tests.support.builders import (
    KEY,
    NOON,
    QUOTA,
    UID,
    act,
    creation,
    done,
    gone,
    resource,
    worker,
)
from tests.support.history import History


def pulling(name: str) -> PodSeen:
    waiting = Container(name="ray", state="waiting", reason="ErrImagePull")
    return replace(worker(name, ready=False), containers=(waiting,))


def test_a_wait_is_dated_from_its_first_record() -> None:
    history = History()
    history.sees(resource())
    history.passes(5)
    history.sees(pulling("w1"))
    history.passes(60)
    history.sees(replace(pulling("w1"), ip="10.0.0.1"))
    book = book_of(KEY, history.records)
    (found,) = book.now()

    assert (found.cause, found.since) == ("ImagePull", NOON + timedelta(seconds=5))
    assert book.began_with(found) == 2


def test_what_usually_happens_is_the_median_of_what_is_over() -> None:
    history = History()
    history.sees(resource())
    for number, seconds in enumerate((10, 30, 500)):
        history.sees(pulling(f"w{number}"))
        history.passes(seconds)
        history.sees(worker(f"w{number}"))
    history.sees(pulling("w9"))
    book = book_of(KEY, history.records)
    found = usual("ImagePull", (book,))

    assert found is not None
    assert (found.median, found.count) == (timedelta(seconds=30), 3)
    assert usual("Quota", (book,)) is None
    told = wait_words(book.now()[0], history.now + timedelta(seconds=90), found)
    assert told == (
        "waits (ImagePull) for pod w9: container ray, ErrImagePull; for 1 min 30 s now; "
        "usually 30 s (3 times in this log)"
    )


def test_trying_again_does_not_end_a_wait() -> None:
    history = History()
    history.sees(resource())
    for number in range(3):
        asked = act(creation("w1"), id_=f"act-{number}")
        history.acts(asked)
        history.passes(1)
        history.answers(asked, QUOTA)
        history.passes(10)
    book = book_of(KEY, history.records)
    found = next(one for one in book.now() if one.cause == "Quota")

    assert found.since == NOON + timedelta(seconds=1)
    assert [one.wait.cause for one in book.over if one.wait.cause == "Quota"] == []


def test_a_wait_that_was_granted_is_over() -> None:
    history = History()
    history.sees(resource())
    for outcome in (QUOTA, done("w1")):
        asked = act(creation("w1"), id_=f"act-{outcome}")
        history.acts(asked)
        history.answers(asked, outcome)
        history.passes(40)
    book = book_of(KEY, history.records)

    assert [one.wait.cause for one in book.over if one.wait.cause == "Quota"] == ["Quota"]
    assert book.now() == ()


def test_a_pod_that_goes_and_a_resource_that_goes_end_their_waits() -> None:
    history = History()
    history.sees(resource(), pulling("w1"), pulling("w2"))
    history.sees(gone(pulling("w1")))
    before = book_of(KEY, history.records).now()
    tombstone = ObjectGone(kind="raycluster", name=KEY.name, uid=UID, resource_version=9)
    history.append(history.records[0].subject, tombstone)

    assert [one.what for one in before] == ["pod w2"]
    assert book_of(KEY, history.records).now() == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (42, "42 s"),
        (60, "1 min"),
        (3599, "59 min 59 s"),
        (7200, "2 h"),
        (90_061, "1 d 1 h"),
        (-5, "0.0 s"),
    ],
)
def test_spans_in_words(seconds: float, words: str) -> None:
    assert span_words(timedelta(seconds=seconds)) == words
