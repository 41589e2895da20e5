"""How long a change waits for company."""

from services.status.patience import LONGEST, QUIET, Patience
from tests.support.builders import KEY
from tests.unit.shared.following.followed import OTHER


def test_is_due_once_its_resource_is_quiet() -> None:
    patience = Patience()

    waits = [patience.wait(KEY, 7, now) for now in (10.0, 10.0 + QUIET / 2, 10.0 + QUIET)]

    assert waits == [QUIET, QUIET / 2, 0]


def test_news_begin_the_quiet_anew_but_not_for_ever() -> None:
    patience = Patience()
    step = QUIET / 2
    waits = [patience.wait(KEY, number, number * step) for number in range(5)]

    assert waits == [QUIET, QUIET, QUIET, LONGEST - 3 * step, 0]


def test_begins_anew_after_the_end() -> None:
    patience = Patience()
    patience.wait(KEY, 1, 0.0)
    patience.end(KEY)

    assert patience.wait(KEY, 1, 100.0) == QUIET


def test_every_resource_waits_for_itself() -> None:
    patience = Patience()
    patience.wait(KEY, 1, 0.0)

    assert (patience.wait(OTHER, 1, 5.0), patience.wait(KEY, 1, 5.0)) == (QUIET, 0)


def test_a_wait_too_short_for_a_clock_is_over() -> None:
    patience = Patience()
    patience.wait(KEY, 1, 10.0)

    assert patience.wait(KEY, 1, 10.0 + QUIET - 1e-12) == 0.0
