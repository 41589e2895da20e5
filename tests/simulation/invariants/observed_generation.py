"""observedGeneration never goes back and is never ahead."""

from collections.abc import Iterator

from sandbox.history import WatchEvent
from shared.kernel.manifests import integer_at, name_of
from tests.simulation.invariants.invariant import Invariant
from tests.simulation.kinds import PLURALS


class ObservedGeneration(Invariant):
    """What the status says it has seen."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource not in PLURALS.values() or change.previous is None:
            return
        before = integer_at(change.previous, "status", "observedGeneration") or 0
        now = integer_at(change.object, "status", "observedGeneration") or 0
        generation = integer_at(change.object, "metadata", "generation") or 0
        if not before <= now <= generation:
            yield (
                f"{name_of(change.object)}: observedGeneration from {before} to {now} "
                f"at generation {generation}"
            )
