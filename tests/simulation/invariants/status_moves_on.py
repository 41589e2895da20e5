"""A status never goes back: the moments that it tells of, its own and its conditions', grow."""

from collections.abc import Iterator, Mapping

from sandbox.history import WatchEvent
from shared.kernel.manifests import entries_at, mapping_at, name_of, text_at
from tests.simulation.invariants.invariant import Invariant
from tests.simulation.kinds import PLURALS


class StatusMovesOn(Invariant):
    """The moments that statuses tell of."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource not in PLURALS.values() or change.previous is None:
            return
        before, after = (mapping_at(one, "status") for one in (change.previous, change.object))
        if before == after:
            return
        for what, former in _moments(before).items():
            now = _moments(after).get(what, former)
            if now < former:
                yield f"{name_of(change.object)}: {what} goes back from {former} to {now}"


def _moments(status: Mapping[str, object]) -> dict[str, str]:
    """Return the moments that a status tells of, each printed so that later ones are greater."""
    found = {
        f"the change of {text_at(entry, 'type')}": text_at(entry, "lastTransitionTime")
        for entry in entries_at(status, "conditions")
    }
    found["lastUpdateTime"] = text_at(status, "lastUpdateTime")
    return {what: told for what, told in found.items() if told}
