"""Who changed a spec, as far as Kubernetes tells."""

import pytest
from msgspec.structs import replace

from heliograph.views.roots import edited
from shared.events.objects import ResourceSeen
from tests.support.builders import cluster_spec, group, resource


def sized(replicas: int, by: str) -> ResourceSeen:
    """A cluster with an autoscaler, last changed by somebody."""
    spec = cluster_spec(group(replicas=replicas), enableInTreeAutoscaling=True)
    seen = resource(spec, generation=replicas, version=replicas)
    return replace(seen, meta=replace(seen.meta, changed_by=by))


@pytest.mark.parametrize(
    ("by", "cause", "who"),
    [
        ("python-requests", "Autoscaler", "the Ray autoscaler (python-requests)"),
        ("kubectl-edit", "SpecEdit", "kubectl-edit"),
        ("python-requests or kubectl-edit", "SpecEdit", "python-requests or kubectl-edit"),
    ],
)
def test_the_autoscaler_is_not_blamed_where_a_person_may_have_done_it(
    by: str, cause: str, who: str
) -> None:
    found = edited(sized(1, "kubectl"), sized(2, by), f"demo was changed by {by}: replicas: 1 -> 2")

    assert (found.cause, found.because) == (cause, f"{who} changed demo: replicas: 1 -> 2")
