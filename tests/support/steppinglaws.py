"""The laws of a RayService whose traffic moves in steps: 32 and 33 of the design, and all others.

Weights sum to 100, steps are no larger and no closer than the user allows, and traffic never moves
from a cluster that takes requests to one that does not (`trafficlaws`).
"""

from datetime import datetime

from tests.support.builders import Raw
from tests.support.servicelaws import LawfulStory
from tests.support.steppingstory import ROUTE, SteppingStory
from tests.support.trafficlaws import Split, pace_of


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
            self._judge(Split(before=before, after=self.weights))

    def _judge(self, split: Split) -> None:
        waited = self.now - self.moved_at if self.moved_at is not None else None
        broken = [
            *split.ill_measured(pace_of(self.strategy), waited),
            *split.misled(self._serves),
        ]
        assert not broken, broken[0]
        self.moved_at = self.now if split.moves else self.moved_at

    def _serves(self, name: str) -> bool:
        """Whether applications run on a cluster, and a pod of it takes requests."""
        head = self.heads.get(name)
        runs = head is not None and bool(head.apps) and set(head.apps.values()) == {"RUNNING"}
        return runs and bool(self.pods_behind(name))
