"""Rules about the name of a RayCluster: other names are made from it."""

from services.reconciler.validation.findings import INVALID_METADATA, Problems
from services.reconciler.validation.syntax import dns_1035_label
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster

NAME_LIMIT = 53


def metadata_problems(cluster: RayCluster) -> Problems:
    """Check the name."""
    if len(cluster.name) > NAME_LIMIT:
        yield _named(f"RayCluster name should be no more than {NAME_LIMIT} characters")
    unlike = dns_1035_label(cluster.name)
    if unlike:
        told = "; ".join(unlike)
        yield _named(f"RayCluster name should be a valid DNS1035 label: {told}")


def _named(message: str) -> Problem:
    return Problem(path="metadata.name", message=message, reason=INVALID_METADATA)
