"""The moment after a moment: against the slow way, and where clocks are changed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.cron.parsing import parse_schedule
from shared.cron.ticks import last_tick, tick_after
from tests.unit.shared.cron.reference import first_minute

ZONES = (
    *("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/St_Johns"),
    *("Australia/Lord_Howe", "America/Asuncion", "Pacific/Apia", "Asia/Tehran", "Asia/Kathmandu"),
)
CHANGES = (
    datetime(2011, 12, 30, 10, tzinfo=UTC),  # a day that Samoa never had
    datetime(2007, 11, 4, 3, 31, tzinfo=UTC),  # 00:01 becomes 23:01 in St John's
    datetime(2018, 11, 4, 3, tzinfo=UTC),  # no midnight in Sao Paulo
    datetime(2017, 10, 1, 4, tzinfo=UTC),  # no midnight on the first of a month in Asuncion
    datetime(2025, 4, 5, 15, tzinfo=UTC),  # half an hour twice on Lord Howe
    datetime(2025, 10, 4, 15, 30, tzinfo=UTC),  # half an hour never on Lord Howe
    datetime(2025, 3, 30, 1, tzinfo=UTC),
    datetime(2025, 10, 26, 1, tzinfo=UTC),
    datetime(2025, 11, 2, 6, tzinfo=UTC),
)
MINUTES = st.sampled_from(["*", "0", "30", "*/7", "0,15,45", "50/3", "10-20", "59", "1"])
HOURS = st.sampled_from(["*", "0", "1", "2", "3", "23", "*/5", "0-2", "22/1"])
DAYS = st.sampled_from(["*", "?", "1", "*/2", "28-31", "*/1", "1,15", "30"])
MONTHS = st.sampled_from(["*", "*", "*", "JAN-jun", "*/2", "oct,Nov,dec"])
WEEKDAYS = st.sampled_from(["*", "*", "sun", "1-5", "*/2", "?", "6"])
TEXTS = st.tuples(MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS).map(" ".join)
MOMENTS = st.one_of(
    st.tuples(st.sampled_from(CHANGES), st.integers(-2 * 86400, 86400)).map(
        lambda pair: pair[0] + timedelta(seconds=pair[1])
    ),
    st.integers(5 * 10**8, 2 * 10**9).map(lambda number: datetime.fromtimestamp(number, UTC)),
)


def after(text: str, zone: str, *moment: int) -> str:
    found = tick_after(parse_schedule(text, zone), datetime(*moment, tzinfo=UTC))  # type: ignore[misc,arg-type]
    return found.strftime("%Y-%m-%d %H:%M") if found else "never"


@given(text=TEXTS, zone=st.sampled_from(ZONES), moment=MOMENTS)
@settings(max_examples=120)
def test_names_the_very_minute_that_the_slow_way_finds(
    text: str, zone: str, moment: datetime
) -> None:
    found = tick_after(parse_schedule(text, zone), moment)
    slow = first_minute(text, zone, moment, days=3)

    if slow is None:
        assert found is None or found > moment + timedelta(days=3)
    else:
        assert found == slow


@given(text=TEXTS, zone=st.sampled_from(ZONES), moment=MOMENTS, hours=st.integers(0, 60))
@settings(max_examples=150)
def test_the_last_one_is_the_end_of_all_that_follow(
    text: str, zone: str, moment: datetime, hours: int
) -> None:
    schedule, until = parse_schedule(text, zone), moment + timedelta(hours=hours)
    last, tick = None, tick_after(schedule, moment)
    while tick is not None and tick <= until:
        last, tick = tick, tick_after(schedule, tick)

    assert last_tick(schedule, moment, until) == last


def test_a_moment_that_is_named_is_not_its_own_successor() -> None:
    assert after("*/5 * * * *", "UTC", 2030, 1, 1, 0, 0) == "2030-01-01 00:05"
    assert after("*/5 * * * *", "UTC", 2030, 1, 1, 0, 4, 59) == "2030-01-01 00:05"


def test_a_time_that_the_clock_skips_is_not_named_that_day() -> None:
    assert after("30 2 * * *", "Europe/Berlin", 2025, 3, 29, 12) == "2025-03-31 00:30"


def test_a_time_that_the_clock_shows_twice_is_named_twice() -> None:
    assert after("30 1 * * *", "America/New_York", 2025, 11, 2, 0) == "2025-11-02 05:30"
    assert after("30 1 * * *", "America/New_York", 2025, 11, 2, 5, 30) == "2025-11-02 06:30"


def test_a_day_without_midnight_is_not_lost_and_none_is_taken_for_another() -> None:
    assert after("30 1 * * *", "America/Sao_Paulo", 2018, 11, 3, 12) == "2018-11-04 03:30"
    assert after("0 0 * * *", "America/Sao_Paulo", 2018, 11, 3, 12) == "2018-11-05 02:00"
    assert after("0 19 * * 5", "Asia/Tehran", 2001, 3, 21, 17, 18) == "2001-03-23 14:30"


def test_a_month_without_its_first_midnight_is_not_lost() -> None:
    assert after("30 2 */2 10 *", "America/Asuncion", 2017, 3, 25, 15) == "2017-10-01 05:30"


def test_half_an_hour_more_or_less_moves_no_other_time() -> None:
    assert after("15 3 * * *", "Australia/Lord_Howe", 1995, 10, 27, 18, 50) == "1995-10-28 16:15"
    assert after("*/15 3 * * *", "Australia/Lord_Howe", 2025, 4, 5, 4) == "2025-04-05 16:30"


def test_a_day_that_never_was_names_nothing() -> None:
    assert after("0 12 30 12 *", "Pacific/Apia", 2011, 12, 1) == "2012-12-29 22:00"


def test_a_minute_before_midnight_that_comes_again_after_it_is_named_again() -> None:
    first = after("30 23 * * *", "America/St_Johns", 2007, 11, 4, 1)

    assert first == "2007-11-04 02:00"
    assert after("30 23 * * *", "America/St_Johns", 2007, 11, 4, 2) == "2007-11-04 03:00"
    assert after("30 23 * * *", "America/St_Johns", 2007, 11, 4, 2, 30) == "2007-11-04 03:00"


def test_around_a_midnight_that_comes_twice_moments_keep_their_order() -> None:
    both, first = "0,30 0,23 * * *", "0 0 4 11 *"
    moments = [datetime(2007, 11, 4, 1, 45, tzinfo=UTC)]
    while len(moments) < 6:
        tick = tick_after(parse_schedule(both, "America/St_Johns"), moments[-1])
        assert tick is not None
        moments.append(tick)
    named = [one.strftime("%H:%M") for one in moments[1:]]

    assert named == ["02:00", "02:30", "03:00", "03:30", "04:00"]
    assert after("30 23 3 11 *", "America/St_Johns", 2007, 11, 4, 2, 30) == "2007-11-04 03:00"
    for schedule, minutes in ((both, 60), (first, 30)):
        last = last_tick(
            parse_schedule(schedule, "America/St_Johns"),
            moments[0],
            datetime(2007, 11, 4, 3, 10, tzinfo=UTC),
        )
        assert last == datetime(2007, 11, 4, 2, tzinfo=UTC) + timedelta(minutes=minutes)


def test_what_never_comes_is_never() -> None:
    assert after("0 0 30 2 *", "UTC", 2030, 1, 1) == "never"
    assert after(", * * * *", "UTC", 2030, 1, 1) == "never"
    assert after("0 0 29 2 *", "UTC", 2096, 3, 1) == "never"
    assert after("0 0 29 2 *", "UTC", 2028, 3, 1) == "2032-02-29 00:00"


def test_a_pace_counts_from_the_moment_before_in_whole_seconds() -> None:
    pace, base = parse_schedule("@every 90s"), datetime(2030, 1, 1, 0, 0, 7, 900_000, tzinfo=UTC)

    assert tick_after(pace, base) == datetime(2030, 1, 1, 0, 1, 37, tzinfo=UTC)
    assert last_tick(pace, base, base + timedelta(minutes=5)) == datetime(
        2030, 1, 1, 0, 4, 37, tzinfo=UTC
    )
    assert last_tick(pace, base, base + timedelta(seconds=80)) is None


@pytest.mark.parametrize("text", ["* * * * *", "@every 5m"])
@pytest.mark.parametrize("year", [1, 1899, 9999])
def test_moments_out_of_all_proportion_name_nothing(text: str, year: int) -> None:
    schedule, moment = parse_schedule(text), datetime(year, 1, 1, tzinfo=UTC)

    assert tick_after(schedule, moment) is None
    assert last_tick(schedule, moment, datetime(9999, 12, 31, tzinfo=UTC)) is None


def test_years_of_minutes_are_counted_at_once() -> None:
    schedule = parse_schedule("* * * * *", "Europe/Berlin")
    since, until = datetime(1990, 1, 1, tzinfo=UTC), datetime(2030, 6, 1, 12, 0, 30, tzinfo=UTC)

    assert last_tick(schedule, since, until) == datetime(2030, 6, 1, 12, tzinfo=UTC)
