"""Bounds: sequences, moments and spans, and what lies between them."""

from datetime import UTC, datetime, timedelta

import pytest

from heliograph.views.bounds import Bound, Bounds, parse_bound

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("4711", 4711),
        ("2h", NOON - timedelta(hours=2)),
        ("7d", NOON - timedelta(days=7)),
        ("2030-01-01T10:00:00Z", NOON - timedelta(hours=2)),
        ("2030-01-01T11:00:00+01:00", NOON - timedelta(hours=2)),
        ("2030-01-01T10:00", NOON - timedelta(hours=2)),
        ("2030-01-01", NOON - timedelta(hours=12)),
    ],
)
def test_reads_what_people_write(text: str, bound: Bound) -> None:
    assert parse_bound(text, NOON) == bound


@pytest.mark.parametrize("text", ["", "yesterday", "2 hours", "-5", "2030-13-01", "9" * 30 + "d"])
def test_says_what_could_have_been_written(text: str) -> None:
    with pytest.raises(ValueError, match="no span like 2h or 7d"):
        parse_bound(text, NOON)


def test_both_ends_belong_to_a_range() -> None:
    by_number = Bounds(first=3, last=5)
    by_time = Bounds(first=NOON, last=NOON + timedelta(seconds=1))

    assert [n for n in range(8) if by_number.holds(n, NOON)] == [3, 4, 5]
    assert [s for s in range(-2, 4) if by_time.holds(1, NOON + timedelta(seconds=s))] == [0, 1]
    assert by_number.passed(6, NOON)
    assert not by_number.passed(2, NOON)
    assert Bounds().holds(1, NOON)


def test_a_span_beyond_all_days_is_told_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="'9999999d' is longer ago than there were days"):
        parse_bound("9999999d", NOON)
