"""The system's clock: the one place that asks what time it is."""

from datetime import UTC, datetime


class SystemClock:
    """The `shared.ports.clock.Clock` of a real process."""

    def now(self) -> datetime:
        """Return the present moment, in UTC."""
        return datetime.now(tz=UTC)  # noqa: TID251 - everyone else takes `now` from here
