"""A cluster never has two heads that could both be used."""

from collections.abc import Iterator

from sandbox.history import WatchEvent
from shared.kernel.manifests import annotations_of
from shared.ports.cluster import Object
from shared.resources.labels import NODE_TYPE
from tests.simulation.invariants.invariant import Invariant, label, owner_uid, usable
from tests.simulation.nature import names

COPIED = {"example.com/copied": "true"}
"""How a user's copy of something of ours is known."""


def is_copy(found: Object) -> bool:
    """Whether a user made it, as like one of ours as can be."""
    return annotations_of(found).items() >= COPIED.items()


class OneHead(Invariant):
    """At most one usable head for each uid."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource != "pods" or label(change.object, NODE_TYPE) != "head":
            return
        pods = self.scene.nature.owned("pods", owner_uid(change.object))
        heads = [pod for pod in pods if label(pod, NODE_TYPE) == "head" and usable(pod)]
        heads = [pod for pod in heads if not is_copy(pod)]
        if len(heads) > 1:
            yield f"two heads at once: {', '.join(names(heads))}"
