"""Options of an upgrade in steps that make no sense: nothing is made, and the status says why."""

import pytest

from shared.kernel.manifests import mapping_at
from tests.support.builders import Raw, cluster_spec, group
from tests.support.steppingstory import SteppingStory, stepped_spec


def without(field: str, **instead: object) -> Raw:
    """A spec whose options lack a field, or have something else."""
    spec = stepped_spec()
    strategy = dict(mapping_at(spec, "upgradeStrategy"))
    options = dict(mapping_at(strategy, "clusterUpgradeOptions"))
    options.pop(field, None)
    strategy["clusterUpgradeOptions"] = {**options, **instead}
    return {**spec, "upgradeStrategy": strategy}


def no_options() -> Raw:
    spec = stepped_spec()
    return {**spec, "upgradeStrategy": {"type": "NewClusterWithIncrementalUpgrade"}}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (stepped_spec(rayClusterConfig=cluster_spec(group("small", 1))), "Autoscaler is required"),
        (no_options(), "ClusterUpgradeOptions are required"),
        (without("stepSizePercent"), "stepSizePercent must be between"),
        (without("gatewayClassName"), "gatewayClassName is required"),
        (without("intervalSeconds", intervalSeconds=0), "intervalSeconds must be greater"),
        (without("maxSurgePercent", maxSurgePercent=200), "maxSurgePercent must be between"),
        (without("stepSizePercent", stepSizePercent=51), "less than or equal to maxSurgePercent"),
    ],
)
def test_senseless_options_are_refused(spec: Raw, told: str) -> None:
    """RayService checklist 66: each refused in its own words."""
    story = SteppingStory(spec)
    story.goes_on()

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert told in story.message("Ready")
    assert (story.clusters, story.children) == ({}, {})


def test_options_that_lose_their_sense_leave_an_upgrade_as_it_is() -> None:
    story = SteppingStory(stepped_spec())
    story.starts = "RUNNING"
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    before = story.weights
    story.wishes(upgradeStrategy=no_options()["upgradeStrategy"])
    story.goes_on()
    story.time_passes(100)

    assert story.condition("Ready") == ("False", "ValidationFailed")
    assert story.weights == before
