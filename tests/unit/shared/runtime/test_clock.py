"""The system's clock."""

from datetime import UTC, timedelta

from shared.ports.clock import Clock
from shared.runtime.clock import SystemClock


def test_tells_the_time_in_utc_and_never_goes_back() -> None:
    clock: Clock = SystemClock()
    first, second = clock.now(), clock.now()

    assert first.tzinfo is UTC
    assert timedelta() <= second - first < timedelta(minutes=1)
