"""What may be done with the traffic of a RayService in steps: 32 and 33 of the design.

Judged from two splits of it, one after the other, by the model and by the simulation alike.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from msgspec import Struct

from shared.kernel.manifests import entries_at, integer_at, mapping_at, text_at

WHOLE = 100
SERVICE_ENDS = "-serve-svc"
Weights = Mapping[str, int]
"""Which share of the traffic goes to each cluster."""


class Pace(Struct, frozen=True, kw_only=True):
    """What the user allows: how large a step is at most, and how far apart two are at least."""

    step: int
    interval: timedelta


def pace_of(strategy: object) -> Pace:
    """Read the pace off an upgrade strategy."""
    options = mapping_at(strategy, "clusterUpgradeOptions")
    interval = timedelta(seconds=integer_at(options, "intervalSeconds") or 0)
    return Pace(step=integer_at(options, "stepSizePercent") or 0, interval=interval)


def weights_in(route: object) -> dict[str, int]:
    """Return what the spec of a route does with requests, by cluster."""
    return {
        text_at(one, "name").removesuffix(SERVICE_ENDS): integer_at(one, "weight") or 0
        for rule in entries_at(route, "rules")
        for one in entries_at(rule, "backendRefs")
    }


class Split(Struct, frozen=True, kw_only=True):
    """One split of the traffic after another."""

    before: Weights
    after: Weights

    @property
    def gains(self) -> set[str]:
        """The clusters that get more."""
        return {name for name, share in self.after.items() if share > self.before.get(name, 0)}

    @property
    def loses(self) -> set[str]:
        """The clusters that get less."""
        return {name for name, share in self.before.items() if share > self.after.get(name, 0)}

    @property
    def moves(self) -> bool:
        """Whether the next step has to wait for this one."""
        return bool(self.gains) or set(self.before) != set(self.after)

    def misled(
        self, serves: Callable[[str], bool], served: Callable[[str], bool] | None = None
    ) -> Iterator[str]:
        """Law 32: nothing is taken from who serves and given to who does not, and never `served`.

        Whoever sees everything at once says the same of both.
        """
        given = served or serves
        if any(serves(name) for name in self.loses) and not all(given(one) for one in self.gains):
            yield f"32: {self.before} to {self.after}"

    def ill_measured(self, pace: Pace, waited: timedelta | None) -> Iterator[str]:
        """Law 33: the whole is split, in steps that are no larger and no closer than allowed."""
        if sum(self.after.values()) != WHOLE:
            yield f"33: {self.after}"
        if not self.gains or set(self.before) != set(self.after):
            return
        if max(self.after[name] - self.before[name] for name in self.after) > pace.step:
            yield f"33: {self.before} to {self.after}"
        under_way = any(0 < share < WHOLE for share in self.before.values())
        if under_way and waited is not None and waited < pace.interval:
            yield f"33: {self.before} to {self.after} too early"
