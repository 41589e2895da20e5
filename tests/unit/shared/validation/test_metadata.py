"""Rules about the name of a RayCluster."""

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.validation.raycluster import validate
from tests.support.rayclusters import cluster


def test_a_name_that_is_too_long_or_odd_is_a_problem_of_the_metadata() -> None:
    """Checklist 3."""
    problems = validate(cluster(name="1" * 54), Features())

    assert problems == (
        Problem(
            path="metadata.name",
            message="RayCluster name should be no more than 53 characters",
            reason="InvalidRayClusterMetadata",
            rule="RayCluster.name-length",
            hint="objects get names made from this one: choose a shorter one",
        ),
        Problem(
            path="metadata.name",
            message="RayCluster name should be a valid DNS1035 label: use lower case letters, "
            "digits and '-'; begin with a letter, end with either",
            reason="InvalidRayClusterMetadata",
            rule="RayCluster.name-letters",
            hint="use lower case letters, digits and '-', begin with a letter, such as my-ray",
        ),
    )
