"""The laws of a RayService whose traffic moves in steps: 32 and 33 of the design, and all others.

Weights sum to 100, steps are no larger and no closer than the user allows, and traffic never moves
from a cluster that takes requests to one that does not.
"""

from datetime import datetime, timedelta

from shared.kernel.manifests import integer_at, mapping_at
from tests.support.builders import Raw
from tests.support.servicelaws import LawfulStory
from tests.support.steppingstory import ROUTE, SteppingStory

WHOLE = 100
Weights = dict[str, int]


class LawfulSteps(LawfulStory, SteppingStory):
    """A RayService in steps of which no action may break a law."""

    def __init__(self, spec: Raw) -> None:
        self.moved_at: datetime | None = None
        """When traffic last moved between the two clusters of the route."""
        super().__init__(spec)

    def led_to(self, name: str) -> bool:
        shared = bool(self.weights.get(name) and self.pods_behind(name))
        return shared or super().led_to(name)

    def may_be_told(self) -> set[str]:
        return {self.active, self.pending}

    def child_is(self, kind: str, name: str, spec: object, version: int) -> None:
        before = self.weights
        super().child_is(kind, name, spec, version)
        if name == ROUTE and self.weights != before:
            self._split(before, self.weights)

    def _split(self, before: Weights, after: Weights) -> None:
        assert sum(after.values()) == WHOLE, f"33: {after}"
        gains = {name for name, weight in after.items() if weight > before.get(name, 0)}
        loses = {name for name, weight in before.items() if weight > after.get(name, 0)}
        if gains and any(self._serves(name) for name in loses):
            assert all(self._serves(name) for name in gains), f"32: {before} to {after}"
        if gains and set(before) == set(after):
            self._paced(before, after)
        self.moved_at = self.now if gains or set(before) != set(after) else self.moved_at

    def _serves(self, name: str) -> bool:
        """Whether applications run on a cluster, and a pod of it takes requests."""
        head = self.heads.get(name)
        runs = head is not None and bool(head.apps) and set(head.apps.values()) == {"RUNNING"}
        return runs and bool(self.pods_behind(name))

    def _paced(self, before: Weights, after: Weights) -> None:
        assert isinstance(self.strategy, dict)
        options = mapping_at(self.strategy, "clusterUpgradeOptions")
        step = max(after[name] - before[name] for name in after)
        assert step <= (integer_at(options, "stepSizePercent") or 0), f"33: {before} to {after}"
        interval = timedelta(seconds=integer_at(options, "intervalSeconds") or 0)
        moved = self.moved_at if any(0 < weight < WHOLE for weight in before.values()) else None
        assert moved is None or self.now >= moved + interval, f"33: {before} to {after} too early"
