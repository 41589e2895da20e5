"""Moments: read with any precision, written in two, always in UTC."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.instants import EPOCH, parse_instant, print_instant, print_precisely, seconds

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
MOMENTS = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
    max_value=datetime(9990, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2030-01-01T12:00:00Z", NOON),
        ("2030-01-01T12:00:00", NOON),
        ("2030-01-01T17:30:00+05:30", NOON),
        ("2030-01-01T12:00:00.5Z", NOON.replace(microsecond=500000)),
        ("2030-01-01T12:00:00.000001Z", NOON.replace(microsecond=1)),
        ("2030-01-01T12:00:00.123456789Z", NOON.replace(microsecond=123456)),
        ("2030-01-01T17:30:00.123456789+05:30", NOON.replace(microsecond=123456)),
    ],
)
def test_reads_every_form_that_servers_write(text: str, moment: datetime) -> None:
    assert parse_instant(text) == moment
    assert parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize("text", ["", "noon", "2030-13-01T12:00:00Z", "2030-01-01T25:00:00Z"])
def test_refuses_what_is_no_moment(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_instant(text)


@given(MOMENTS)
def test_a_precisely_printed_moment_reads_as_itself(moment: datetime) -> None:
    assert parse_instant(print_precisely(moment)) == moment


@given(MOMENTS)
def test_kubernetes_moments_are_cut_to_the_second_never_rounded_up(moment: datetime) -> None:
    read = parse_instant(print_instant(moment))

    assert read <= moment < read + timedelta(seconds=1)


def test_writes_moments_as_kubernetes_does() -> None:
    assert print_instant(NOON.replace(microsecond=999999)) == "2030-01-01T12:00:00Z"
    assert print_precisely(NOON) == "2030-01-01T12:00:00.000000Z"
    assert print_instant(EPOCH) == "1970-01-01T00:00:00Z"


def test_a_span_is_given_in_seconds() -> None:
    assert seconds(1.5) == timedelta(milliseconds=1500)
