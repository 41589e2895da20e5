"""What is odd and no reason to stop: a warning, and nothing else."""

from shared.actions.objects import CreateObject, DeleteObject, PostNotice
from tests.support.builders import (
    HEAD_NAME,
    Raw,
    cluster_spec,
    group,
    head,
    resource,
    suspended,
    with_status,
)
from tests.support.plot import Plot

WARNING = (
    "RayCluster spec warning prod/demo: restartPolicy for worker groups [small] should be Never or "
    "unset when using autoscaler V1"
)


def restarted(version: str = "v1") -> Raw:
    pod = {"restartPolicy": "Always", "containers": [{"name": "ray", "image": "ray:2"}]}
    small = group("small", 1, template={"spec": pod})
    scaling: Raw = {"enableInTreeAutoscaling": True, "autoscalerOptions": {"version": version}}
    return cluster_spec(small, **scaling)


def warnings(plot: Plot) -> list[tuple[str, str, str]]:
    notices = [one for one in plot.asks() if isinstance(one, PostNotice) and one.warning]
    return [(one.reason, one.action, one.message) for one in notices]


def test_people_are_warned_and_the_cluster_is_made() -> None:
    """Checklist 10."""
    plot = Plot()
    plot.sees(resource(restarted()))

    assert warnings(plot) == [("InvalidRayClusterSpec", "Validate", WARNING)]
    made = [one.kind for one in plot.asks() if isinstance(one, CreateObject)]
    assert made.count("pod") == 2


def test_once_for_each_generation() -> None:
    plot = Plot()
    plot.settles(resource(restarted()))
    assert warnings(plot) == []

    plot.sees(resource(restarted(), generation=2, version=2))
    assert warnings(plot) == [("InvalidRayClusterSpec", "Validate", WARNING)]


def test_nobody_is_warned_of_what_was_not_asked_for() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))

    assert warnings(plot) == []


def test_a_cluster_that_is_first_seen_suspended_warns_nevertheless() -> None:
    """Its acts carried the mark although nobody had been told."""
    plot = Plot()
    plot.sees(with_status(resource({**restarted(), "suspend": True}), suspended(1)))

    assert warnings(plot) == [("InvalidRayClusterSpec", "Validate", WARNING)]
    plot.executes(plot.commits())
    assert warnings(plot) == []


def test_a_status_that_suspends_twice_is_told_once_and_heals() -> None:
    """Checklist 18: suspending counts; its pods go, and the status moves on from there."""
    both: Raw = {
        "conditions": [
            {"type": f"RayCluster{each}", "status": "True", "observedGeneration": 1}
            for each in ("Suspended", "Suspending")
        ]
    }
    plot = Plot()
    plot.sees(with_status(resource(cluster_spec(suspend=True)), both), head())

    ((reason, _, message),) = warnings(plot)
    assert reason == "InvalidRayClusterStatus"
    assert message.startswith("The RayCluster status is invalid prod/demo, invalid RayCluster")
    act = plot.commits()
    assert [one.name for one in act.actions if isinstance(one, DeleteObject)] == [HEAD_NAME]
    plot.executes(act)
    assert warnings(plot) == []
