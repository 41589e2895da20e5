"""Spans of time as kubectl prints them."""

from datetime import timedelta

import pytest

from sandbox.api.durations import age, human
from tests.unit.sandbox.widgets import NOON


@pytest.mark.parametrize(
    ("span", "shown"),
    [
        (timedelta(seconds=-5), "<invalid>"),
        (timedelta(0), "0s"),
        (timedelta(seconds=119), "119s"),
        (timedelta(minutes=2), "2m"),
        (timedelta(minutes=2, seconds=5), "2m5s"),
        (timedelta(minutes=10, seconds=5), "10m"),
        (timedelta(hours=3, minutes=4), "3h4m"),
        (timedelta(hours=47), "47h"),
        (timedelta(days=2, hours=3), "2d3h"),
        (timedelta(days=8, hours=3), "8d"),
        (timedelta(days=800), "2y70d"),
        (timedelta(days=3000), "8y"),
    ],
)
def test_prints_a_span(span: timedelta, shown: str) -> None:
    assert human(span) == shown


def test_an_age_without_a_beginning_is_unknown() -> None:
    assert age("", NOON) == "<unknown>"
    assert age("2030-01-01T11:59:50Z", NOON) == "10s"
