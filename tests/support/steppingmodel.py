"""Traffic in steps as KubeRay's specification has it, written without any of our code.

A state is four percentages. `passes` are those of a controller for which every interval is over at
each look; `clocked` has a clock as well, and says what is true at each moment if everybody is done
at once. Tests compare ours with both.
"""

from collections.abc import Iterator
from dataclasses import dataclass

Percents = tuple[int, int, int, int]
"""Capacity of active and pending, traffic of active and pending."""
BEGINNING: Percents = (100, 0, 100, 0)
UPGRADED: Percents = (0, 100, 0, 100)
ROUNDS_MAX = 500


def passes(begin: Percents, step: int, surge: int, *, back: bool) -> Iterator[Percents]:
    """Capacity of pending, then of active, then traffic; all in one pass."""
    now = begin
    for _ in range(ROUNDS_MAX):
        before, now = now, moved(resized(now, surge, back=back), step, back=back)
        if now == before:
            return
        yield now


def changes(begin: Percents, step: int, surge: int, *, back: bool) -> Iterator[Percents]:
    """The same one change at a time: what is true between any two of them."""
    told, now = begin, begin
    for _ in range(ROUNDS_MAX):
        before = now
        for called_for in ("pending", "active"):
            now = (*(going_back if back else going_forth)(now, surge, called_for), *now[2:])
            if now != told:
                yield (told := now)
        now = moved(now, step, back=back)
        if now != told:
            yield (told := now)
        if now == before:
            return


def resized(now: Percents, surge: int, *, back: bool) -> Percents:
    """Change capacities as one pass does."""
    for called_for in ("pending", "active"):
        resize = going_back if back else going_forth
        now = (*resize(now, surge, called_for), *now[2:])
    return now


def moved(now: Percents, step: int, *, back: bool) -> Percents:
    """Move traffic by one step, up to the capacity of whoever gains it."""
    a_cap, p_cap, a_traffic, p_traffic = now
    if back:
        a_traffic = min(100, a_traffic + step, a_cap)
        return (a_cap, p_cap, a_traffic, 100 - a_traffic)
    p_traffic = min(100, p_traffic + step, p_cap)
    return (a_cap, p_cap, 100 - p_traffic, p_traffic)


def going_forth(at: Percents, surge: int, called_for: str) -> tuple[int, int]:
    """Return both capacities after a step of an upgrade."""
    a_cap, p_cap, _, p_traffic = at
    if p_cap != p_traffic or (a_cap == 0 and p_traffic == 100):
        return a_cap, p_cap
    if called_for == "pending" and a_cap + p_cap <= 100:
        return a_cap, min(100, p_cap + surge)
    if called_for == "active" and a_cap + p_cap > 100:
        return max(0, a_cap - surge), p_cap
    return a_cap, p_cap


def going_back(at: Percents, surge: int, called_for: str) -> tuple[int, int]:
    """Return both capacities after a step of a way back."""
    a_cap, p_cap, a_traffic, _ = at
    if a_cap != a_traffic or (a_cap, p_cap) == (100, 0):
        return a_cap, p_cap
    if called_for == "pending" and a_cap + p_cap > 100:
        return a_cap, max(0, p_cap - surge)
    if called_for == "active" and a_cap + p_cap <= 100:
        return min(100, a_cap + surge), p_cap
    return a_cap, p_cap


@dataclass
class Clocked:
    """An upgrade, or its way back, with a clock: seconds since it began."""

    step: int
    surge: int
    interval: int
    state: Percents = BEGINNING
    back: bool = False
    moved_at: int | None = None
    """When whoever gains got some last."""

    def at(self, second: int) -> Percents:
        """Return what holds once everything that may happen by then has happened."""
        for _ in range(ROUNDS_MAX):
            before, self.state = self.state, resized(self.state, self.surge, back=self.back)
            if self.moved_at is None or second - self.moved_at >= self.interval:
                after = moved(self.state, self.step, back=self.back)
                self.moved_at = second if after != self.state else self.moved_at
                self.state = after
            if self.state == before:
                return before
        raise AssertionError(f"no rest after {ROUNDS_MAX} rounds: {self.state}")

    def over(self) -> bool:
        """Whether nothing is left to be moved."""
        return self.state == (BEGINNING if self.back else UPGRADED)
