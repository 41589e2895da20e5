"""Rules about upgrades, and how users are told of problems."""

import pytest

from shared.resources.problem import Problem
from shared.validation.raycluster import told
from tests.support.rayclusters import cluster, problems_of


def test_an_upgrade_strategy_is_known_and_the_users_own() -> None:
    wanted = cluster(
        upgradeStrategy={"type": "Odd"}, labels={"ray.io/originated-from-crd": "RayJob"}
    )

    assert problems_of(wanted) == [
        (
            "spec.upgradeStrategy.type",
            (
                "The RayCluster spec is invalid: Spec.UpgradeStrategy.Type value Odd is invalid, "
                "valid options are Recreate or None"
            ),
        ),
        (
            "spec.upgradeStrategy.type",
            "upgradeStrategy cannot be set when RayCluster is created by RayJob",
        ),
    ]
    assert problems_of(cluster(upgradeStrategy={"type": "None"})) == []


@pytest.mark.parametrize(
    ("path", "reason", "subject"),
    [
        ("metadata.name", "InvalidRayClusterMetadata", "metadata"),
        ("spec.x", "InvalidRayClusterSpec", "spec"),
        ("spec.upgradeStrategy.type", "InvalidRayClusterSpec", "UpgradeStrategy"),
    ],
)
def test_an_event_says_what_is_invalid(path: str, reason: str, subject: str) -> None:
    problem = Problem(path=path, message="why", reason=reason)

    assert told(problem, "lab", "demo") == f"The RayCluster {subject} is invalid lab/demo: why"
