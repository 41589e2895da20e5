"""Spans of time as people write them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.spans import parse_span, print_span


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("7d", timedelta(days=7)),
        ("12h", timedelta(hours=12)),
        ("30m", timedelta(minutes=30)),
        ("10s", timedelta(seconds=10)),
        ("500ms", timedelta(milliseconds=500)),
        ("1h30m", timedelta(hours=1, minutes=30)),
    ],
)
def test_reads_what_people_write(text: str, span: timedelta) -> None:
    assert parse_span(text) == span


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "7 d", "1.5h", "7w", "7D", "0s", "0d0h"])
def test_refuses_what_is_no_span(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must be "):
        parse_span(text)


def test_refuses_a_span_beyond_all_calendars() -> None:
    with pytest.raises(ValueError, match="calendar"):
        parse_span("999999999d999999999d")


@given(st.integers(min_value=1, max_value=10**12))
def test_reads_back_what_it_writes(milliseconds: int) -> None:
    span = timedelta(milliseconds=milliseconds)

    assert parse_span(print_span(span)) == span
