"""Rules about the name of a RayCluster: other names are made from it."""

from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.validation.findings import INVALID_METADATA, Problems
from shared.validation.syntax import dns_1035_label

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
