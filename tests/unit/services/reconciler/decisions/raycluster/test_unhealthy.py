"""Pods that cannot come back by themselves, and those that can."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster.unhealthy import beyond_recovery
from shared.actions.objects import DeleteObject, Notice, Words
from shared.events.objects import Container, PodSeen
from tests.support.builders import (
    FORMER_UID,
    cluster_spec,
    deleting,
    failed,
    group,
    head,
    owned_by,
    ray_ended,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

ENDED = "its Ray container ended and its restart policy is Never"
FINAL = "its status is {}, which is final"


@pytest.mark.parametrize(
    ("pod", "why"),
    [
        (failed(worker("w1")), FINAL.format("Failed")),
        (failed(worker("w1"), "Evicted"), FINAL.format("Failed, Evicted")),
        (replace(worker("w1"), phase="Succeeded"), FINAL.format("Succeeded")),
        (failed(replace(worker("w1"), restart_policy="Always")), FINAL.format("Failed")),
        (ray_ended(worker("w1"), "Never"), ENDED),
        (ray_ended(worker("w1"), "Always"), ""),
        (ray_ended(worker("w1"), "OnFailure"), ""),
        (replace(ray_ended(worker("w1"), "Never"), phase="Pending"), ""),
        (replace(ray_ended(worker("w1"), "Never"), phase="Unknown"), ""),
        (worker("w1"), ""),
        (worker("w1", ready=False), ""),
        (replace(worker("w1"), phase="Unknown"), ""),
        (replace(worker("w1"), containers=()), ""),
    ],
)
def test_which_pods_are_beyond_recovery(pod: PodSeen, why: str) -> None:
    """Checklist 89."""
    assert beyond_recovery(pod) == why


def test_a_side_container_that_ended_does_not_end_the_pod() -> None:
    side = Container(name="collector", state="terminated", exit_code=0)
    pod = replace(worker("w1"), containers=(*worker("w1").containers, side))

    assert beyond_recovery(pod) == ""


def sick(*pods: PodSeen) -> Plot:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 0))), service(), *pods)
    return plot


def test_the_removal_names_the_version_that_was_seen_and_tells_people() -> None:
    plot = sick(head(), failed(worker("w1", version=33)))

    assert plot.asks() == (
        DeleteObject(
            kind="pod",
            name="w1",
            uid="uid-of-w1",
            resource_version=33,
            rule="unhealthy",
            because="worker pod w1 cannot recover: its status is Failed, which is final",
            notice=Notice(
                done=Words(
                    reason="DeletedWorkerPod",
                    message="Deleted worker Pod prod/w1; Pod status: Failed; "
                    "Pod restart policy: Never",
                ),
                refused=Words(
                    reason="FailedToDeleteWorkerPod",
                    message="Failed deleting worker Pod prod/w1; Pod status: Failed; "
                    "Pod restart policy: Never, ",
                ),
            ),
        ),
    )


def test_the_head_goes_first() -> None:
    plot = sick(failed(worker("a")), failed(head()), failed(worker("b")))

    assert [getattr(action, "name", "") for action in plot.asks()] == [head().meta.name, "a", "b"]


def test_a_failed_pod_that_is_ending_already_is_left_to_end() -> None:
    assert sick(head(), deleting(failed(worker("w1")))).left_alone()


def test_a_failed_pod_of_another_owner_is_left_alone() -> None:
    assert sick(head(), owned_by(failed(worker("w1")), FORMER_UID)).left_alone()


def test_a_failed_pod_of_a_removed_group_is_removed_once() -> None:
    plot = sick(head(), failed(worker("b1", group="big")))

    assert [action.rule for action in plot.asks()] == ["unhealthy"]
