"""Rules about upgrades, and how users are told of problems."""

from typing import Any

import pytest

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.validation.raycluster import status_problems, told, validate
from tests.support.rayclusters import cluster, problems_of


def test_an_upgrade_strategy_is_known_and_the_users_own() -> None:
    """Checklist 15."""
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
    ("fields", "text"),
    [
        ({"name": "A"}, "The RayCluster metadata is invalid lab/demo: RayCluster name should"),
        ({"rayVersion": "1.0", "authOptions": {"mode": "token"}}, "The RayCluster spec is invalid"),
        (
            {"upgradeStrategy": {"type": "Odd"}},
            "The RayCluster UpgradeStrategy is invalid lab/demo",
        ),
    ],
)
def test_an_event_says_what_is_invalid(fields: dict[str, Any], text: str) -> None:
    first = validate(cluster(**fields), Features())[0]

    assert told(first, "lab", "demo").startswith(text)


def test_an_event_about_the_shape_names_the_path() -> None:
    problem = Problem(path="spec.x", message="is required", reason="InvalidRayClusterSpec")

    text = "The RayCluster spec is invalid lab/demo: spec.x: is required"
    assert told(problem, "lab", "demo") == text


def test_a_status_that_suspends_twice_is_told_with_a_comma() -> None:
    both = [{"type": f"RayCluster{each}", "status": "True"} for each in ("Suspending", "Suspended")]
    wanted = cluster().model_copy(update={"status": {"conditions": both}})

    (problem,) = status_problems(wanted.status)
    assert problem.reason == "InvalidRayClusterStatus"
    assert told(problem, "lab", "demo") == (
        "The RayCluster status is invalid lab/demo, invalid RayCluster State: "
        "rayv1.RayClusterSuspending and rayv1.RayClusterSuspended conditions should not be both "
        "true"
    )
    assert list(status_problems(cluster().status)) == []
    assert validate(wanted, Features()) == ()
