"""What went by: the latest, the earlier ones, and no more of them than anybody reads."""

from datetime import UTC, datetime, timedelta

from shared.cron.missed import TOLD_MAX, missed
from shared.cron.parsing import parse_schedule

MIDNIGHT = datetime(2030, 1, 1, tzinfo=UTC)
EVERY_FIVE = parse_schedule("*/5 * * * *")


def minutes(*numbers: int) -> tuple[datetime, ...]:
    return tuple(MIDNIGHT + timedelta(minutes=number) for number in numbers)


def test_nothing_has_gone_by_yet() -> None:
    assert missed(EVERY_FIVE, MIDNIGHT, MIDNIGHT + timedelta(minutes=4, seconds=59)) is None
    assert missed(EVERY_FIVE, MIDNIGHT, MIDNIGHT) is None
    assert missed(EVERY_FIVE, MIDNIGHT, MIDNIGHT - timedelta(days=1)) is None


def test_a_moment_that_is_now_has_gone_by() -> None:
    (five,) = minutes(5)
    found = missed(EVERY_FIVE, MIDNIGHT, five)

    assert found is not None
    assert (found.latest, found.earlier, found.more) == (five, (), False)


def test_the_earlier_ones_are_told_oldest_first() -> None:
    found = missed(EVERY_FIVE, MIDNIGHT, MIDNIGHT + timedelta(minutes=17))

    assert found is not None
    assert (found.latest, found.earlier, found.more) == (*minutes(15), minutes(5, 10), False)


def test_of_very_many_the_oldest_are_told_and_that_there_are_more() -> None:
    found = missed(parse_schedule("@every 1s"), MIDNIGHT, MIDNIGHT + timedelta(days=3650))

    assert found is not None
    assert found.latest == MIDNIGHT + timedelta(days=3650)
    assert (len(found.earlier), found.more) == (TOLD_MAX, True)


def test_exactly_as_many_as_are_told_are_no_more() -> None:
    found = missed(EVERY_FIVE, MIDNIGHT, MIDNIGHT + timedelta(minutes=5 * (TOLD_MAX + 1)))

    assert found is not None
    assert (len(found.earlier), found.more) == (TOLD_MAX, False)
