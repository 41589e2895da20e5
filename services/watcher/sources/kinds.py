"""Which kinds are watched: those that decisions rest on, given what an installation works with."""

from shared.kube.kinds import KINDS
from shared.ports.cluster import Kind
from shared.resources.observed import PLAIN, Surroundings, observed


def watched(surroundings: Surroundings) -> tuple[Kind, ...]:
    """Return the kinds to watch; of those, `OPTIONAL` ones may be missing in a cluster."""
    return tuple(KINDS[word] for word in observed(surroundings))


WATCHED = watched(PLAIN)
"""What is watched with every setting."""
