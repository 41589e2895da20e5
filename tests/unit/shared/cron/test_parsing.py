"""Reading schedules: what is understood, and in which words the rest is refused."""

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.cron.parsing import parse_schedule
from shared.cron.schedule import Calendar, Every, ScheduleError
from shared.cron.zones import UnknownZoneError, zone_named


def calendar(text: str) -> Calendar:
    found = parse_schedule(text)
    assert isinstance(found, Calendar)
    return found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("@reboot", "unrecognized descriptor: @reboot"),
        ("@Daily", "unrecognized descriptor: @Daily"),
        (
            "@every 5q",
            'failed to parse duration @every 5q: time: unknown unit "q" in duration "5q"',
        ),
        ("@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("*/-5 * * * *", "negative number (-5) not allowed: -5"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("* * * * 7", "end of range (7) above maximum (6): 7"),
        ("* * * * fri-mon", "beginning of range (5) beyond end of range (1): fri-mon"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ("TZ=UTC", "no schedule follows the time zone: TZ=UTC"),
    ],
)
def test_what_cannot_be_read_is_told_in_the_words_users_know(text: str, told: str) -> None:
    """RayCronJob checklist 1: what follows `invalid cron schedule`."""
    with pytest.raises(ScheduleError) as refused:
        parse_schedule(text)

    assert str(refused.value) == told


def test_names_ranges_steps_and_lists_are_numbers_in_the_end() -> None:
    found = calendar("50/3 1-9/4 1,15,,28 jan-MAR,12 Sun,2-3")

    assert sorted(found.minutes) == [50, 53, 56, 59]
    assert sorted(found.hours) == [1, 5, 9]
    assert sorted(found.days) == [1, 15, 28]
    assert sorted(found.months) == [1, 2, 3, 12]
    assert sorted(found.weekdays) == [0, 2, 3]


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("0 0 * * 1", True),
        ("0 0 1 * ?", True),
        ("0 0 */1 * 1", True),
        ("0 0 */2 * 1", False),
        ("0 0 1 * 1", False),
        ("0 0 1,* * 1", True),
    ],
)
def test_an_unrestricted_day_field_asks_for_both_days(text: str, both: bool) -> None:
    assert calendar(text).both_days is both


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("@every 1h30m", 5400),
        ("@every 1.5h", 5400),
        ("@every 1s999ms", 1),
        ("@every 300ms", 1),
        ("@every -5m", 1),
        ("@every 0", 1),
    ],
)
def test_a_pace_is_in_whole_seconds_and_at_least_one(text: str, seconds: int) -> None:
    assert parse_schedule(text) == Every(span=timedelta(seconds=seconds))


def test_a_zone_comes_in_front_or_beside_and_is_utc_otherwise() -> None:
    """RayCronJob checklist 9: beside a schedule it means the same as in front."""
    assert calendar("CRON_TZ=Asia/Tokyo  0 0 * * *").zone == "Asia/Tokyo"
    assert parse_schedule("0 0 * * *", "Asia/Tokyo") == calendar("TZ=Asia/Tokyo 0 0 * * *")
    assert calendar("0 0 * * *").zone == "UTC"
    assert str(zone_named("Local")) == str(zone_named("")) == "UTC"


@pytest.mark.parametrize("name", ["../etc/passwd", "/etc/localtime", "\\x"])
def test_no_name_of_a_zone_leads_out_of_the_zones(name: str) -> None:
    with pytest.raises(UnknownZoneError, match="time: invalid location name"):
        zone_named(name)


@pytest.mark.parametrize("name", ["Invalid/Zone", "europe/berlin", "Europe", "zones"])
def test_an_unknown_zone_is_told(name: str) -> None:
    """RayCronJob checklist 10: it is no zone, or none that is written so."""
    with pytest.raises(UnknownZoneError, match=f"unknown time zone {name}"):
        zone_named(name)


def test_the_zones_of_the_machine_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    zone_named.cache_clear()
    monkeypatch.setattr("zoneinfo.TZPATH", ())

    assert str(zone_named("Europe/Berlin")) == "Europe/Berlin"


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    with suppress(ScheduleError):
        parse_schedule(text)
