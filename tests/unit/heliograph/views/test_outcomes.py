"""Two forks compared: what one alone has, how both end, and when."""

from datetime import timedelta

from msgspec.structs import replace

from heliograph.views.outcomes import Comparison, compare
from shared.events.envelope import Record
from shared.events.subjects import place_of
from tests.contract.test_histories import records_of

HISTORY = [one for one in records_of("worker-failed") if place_of(one.subject) is not None]
START = 20
BEFORE = [one for one in HISTORY if one.sequence <= START]
REST = [one for one in HISTORY if one.sequence > START]
MOMENT = BEFORE[-1].at


def compared(base: list[Record], other: list[Record]) -> Comparison:
    return compare(BEFORE, base, other, MOMENT)


def test_equal_forks_are_the_same_line_by_line() -> None:
    found = compared(REST, REST)

    assert found.same
    assert found.ends_alike
    assert found.later == 0.0
    assert found.only_base == found.only_other == ()
    assert all(one.base == one.other for one in found.timeline)


def test_what_happens_later_is_the_same_and_told() -> None:
    late = [replace(one, at=one.at + timedelta(seconds=30)) for one in REST]

    found = compared(REST, late)

    assert found.same
    assert found.later == 30.0


def test_what_one_fork_alone_does_is_told_in_order() -> None:
    found = compared([], REST)

    assert not found.same
    assert found.only_base == ()
    assert [one.other for one in found.only_other] == [one.other for one in found.timeline]
    assert any(one.what == "decided" for one in found.only_other)


def test_names_that_are_drawn_make_no_difference() -> None:
    """The worker that replaces the failed one has another name in each fork."""
    found = compared(REST, REST)
    words = {one.text for one in found.timeline}
    drawn = next(text for text in words if text.startswith("create pod first-small-worker-"))
    other = [replace(one, subject=one.subject.replace(drawn[-5:], "zzzzz")) for one in REST]

    assert compared(REST, other).only_base == ()


def test_forks_end_otherwise_where_pods_are_missing() -> None:
    found = compared(REST, REST[:1])

    (ending,) = found.endings
    assert not found.ends_alike
    assert ending.base != ending.other
