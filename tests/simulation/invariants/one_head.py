"""A cluster never has two heads that could both be used."""

from collections.abc import Iterator

from sandbox.history import WatchEvent
from shared.resources.labels import NODE_TYPE
from tests.simulation.invariants.invariant import Invariant, label, owner_uid, usable
from tests.simulation.nature import names


class OneHead(Invariant):
    """At most one usable head for each uid."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource != "pods" or label(change.object, NODE_TYPE) != "head":
            return
        pods = self.scene.nature.owned("pods", owner_uid(change.object))
        heads = [pod for pod in pods if label(pod, NODE_TYPE) == "head" and usable(pod)]
        if len(heads) > 1:
            yield f"two heads at once: {', '.join(names(heads))}"
