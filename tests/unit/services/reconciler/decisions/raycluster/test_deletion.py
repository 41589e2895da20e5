"""Deletion with data in Redis: pods first, then a Job, and the finalizer last."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster.deletion import timeout_of
from shared.actions.objects import PostNotice
from shared.actions.outcomes import Done, Refused
from shared.events.decisions import Timer
from shared.events.objects import ChildSeen, ObjectGone
from tests.support.builders import (
    FORMER_UID,
    HEAD_NAME,
    KEY,
    NOON,
    UID,
    annotated,
    child_meta,
    deleting,
    gone,
    head,
    owned_by,
    owner,
    service,
    worker,
)
from tests.support.leaving import (
    CONFLICT,
    OURS,
    Raw,
    asked,
    finalizers,
    leaving,
    listed,
    plot_of,
    tolerant,
)

JOB = "demo-redis-cleanup"
FORCED = (
    "Force-removed GCS FT finalizer after 5m0s due to Redis cleanup timeout; "
    f'Redis storage namespace "{UID}" may need manual cleanup'
)


def job(condition: str = "", status: str = "True", version: int = 2000) -> ChildSeen:
    told: Raw = {"conditions": [{"type": condition, "status": status}]} if condition else {}
    labels = {"ray.io/node-type": "redis-cleanup"}
    return ChildSeen(meta=child_meta(JOB, version, labels), kind="job", status=told)


def test_without_our_finalizer_a_deleted_cluster_is_left_alone() -> None:
    plot = plot_of(leaving("other"))
    plot.sees(head())

    assert plot.left_alone()


def test_pods_go_first_and_only_living_ones_of_this_cluster() -> None:
    """Checklist 26: ending pods and pods of others are not touched."""
    plot = plot_of(leaving(OURS))
    plot.sees(worker("w1"), deleting(worker("w2")), owned_by(worker("w3"), FORMER_UID), head())

    act = plot.commits()

    assert asked(act.actions) == [("DeleteObject", "pod", HEAD_NAME), ("DeleteObject", "pod", "w1")]
    assert act.seen.deleting
    plot.executes(act)
    assert plot.decides() is None


def test_a_head_that_is_ending_is_waited_for() -> None:
    plot = plot_of(leaving(OURS))
    plot.sees(deleting(head()))

    act = plot.commits()

    due_at = NOON + timedelta(seconds=300)
    because = "cleaning up in Redis may take only so long"
    assert (act.actions, act.because) == ((), (because,))
    assert act.timers[0] == Timer(name="cleanup", due_at=due_at, because=because)
    assert plot.decides() is None
    plot.fires(act, "cleanup")
    assert plot.decides() is None


def test_a_head_that_was_asked_for_and_is_not_seen_is_waited_for() -> None:
    plot = plot_of(tolerant(OURS))
    plot.sees(service())
    plot.executes(plot.commits())
    plot.sees(leaving(OURS))

    assert plot.commits().actions == ()

    plot.sees(head(version=3000))

    assert asked(plot.asks()) == [("DeleteObject", "pod", HEAD_NAME)]


def test_the_job_is_made_once_no_head_is_left() -> None:
    """Checklist 21: the Job appears as soon as no head is listed, even with workers left."""
    plot = plot_of(leaving(OURS))
    plot.sees(deleting(worker("w1")), deleting(head()), gone(head(), version=20))

    act = plot.commits()

    assert asked(act.actions) == [("CreateObject", "job", JOB)]
    assert list(act.manifests) == ["redis-cleanup-job"]
    plot.executes(act)
    assert plot.decides() is None
    plot.sees(job())
    assert plot.decides() is None


def test_success_and_failure_of_the_job_are_told() -> None:
    """Checklist 22: creating the Job, and failing to, both make an Event."""
    (creation,) = plot_of(leaving(OURS)).asks()

    notice = getattr(creation, "notice", None)
    assert notice is not None
    assert (notice.done.reason, notice.done.message) == (
        "CreatedRedisCleanupJob",
        f"Created Redis cleanup Job prod/{JOB}",
    )
    assert (notice.refused.reason, notice.refused.message) == (
        "FailedToCreateRedisCleanupJob",
        f"Failed to create Redis cleanup Job prod/{JOB}, ",
    )


def test_a_refused_job_is_tried_again_and_keeps_its_deadline() -> None:
    """Checklist 22: a refusal is not the end."""
    plot = plot_of(leaving(OURS))
    first = plot.commits()
    plot.answers(first, Refused(code=403, reason="Forbidden", message="exceeded quota"))

    act = plot.commits()

    assert [timer.name for timer in act.timers] == ["retry", "cleanup", "refresh"]
    assert act.timers[1] in first.timers
    plot.fires(act, "retry")
    assert asked(plot.asks()) == [("CreateObject", "job", JOB)]


@pytest.mark.parametrize("condition", ["Complete", "Failed", "FailureTarget"])
def test_a_job_that_has_ended_lets_the_cluster_go(condition: str) -> None:
    """Checklist 21, 23: well or badly, an ended Job removes the finalizer and no other."""
    plot = plot_of(leaving("other", OURS), job(condition))

    act = plot.commits()

    assert asked(act.actions) == [("PatchObject", "raycluster", KEY.name)]
    assert finalizers(act) == listed("other")
    plot.executes(act)
    assert plot.decides() is None


@pytest.mark.parametrize(
    ("condition", "status"), [("FailureTarget", "False"), ("Complete", "False"), ("Else", "True")]
)
def test_a_job_that_has_not_ended_is_waited_for(condition: str, status: str) -> None:
    """Checklist 23: a condition that is not true ends nothing."""
    plot = plot_of(leaving(OURS), job(condition, status))

    assert plot.commits().actions == ()
    assert plot.decides() is None


def test_our_job_is_known_by_its_owner_whatever_its_labels() -> None:
    plain = job("Complete")
    unmarked = replace(plain, meta=replace(plain.meta, labels={"ray.io/cluster": KEY.name}))

    assert finalizers(plot_of(leaving(OURS), unmarked).commits()) == listed()


def test_the_job_of_a_former_cluster_is_not_ours() -> None:
    plain = job("Complete")
    former = replace(plain, meta=replace(plain.meta, owners=(owner(FORMER_UID),)))

    assert asked(plot_of(leaving(OURS), former).asks()) == [("CreateObject", "job", JOB)]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1", 1),
        ("+60", 60),
        ("600", 600),
        ("", 300),
        ("0", 300),
        ("-5", 300),
        ("1.5", 300),
        ("5m", 300),
        (" 5", 300),
        ("1_0", 300),
        ("9" * 5000, 300),
        ("9" * 18, 10**9),
    ],
)
def test_only_whole_seconds_above_zero_change_the_patience(text: str, seconds: int) -> None:
    """Checklist 24: positive whole numbers only, everything else is 300 s."""
    assert timeout_of({"ray.io/gcs-ft-deletion-timeout": text}) == timedelta(seconds=seconds)


def test_past_the_timeout_the_cluster_goes_and_people_are_told() -> None:
    """Checklist 25: past the timeout one look drops our finalizer; other finalizers stay."""
    plot = plot_of(leaving("other", OURS), job())
    plot.fires(plot.commits(), "cleanup")

    act = plot.commits()

    assert asked(act.actions)[1:] == [("PatchObject", "raycluster", KEY.name)]
    assert finalizers(act) == listed("other")
    assert act.actions[0] == PostNotice(
        warning=True,
        reason="ForceDeletedStuckCluster",
        action="Cleanup",
        message=FORCED,
        rule="deletion",
        because="cleaning up in Redis has not ended within 5m0s",
    )
    plot.executes(act)
    assert plot.decides() is None


def test_people_are_told_once_however_often_the_finalizer_is_tried() -> None:
    plot = plot_of(leaving(OURS), job())
    plot.fires(plot.commits(), "cleanup")
    act = plot.commits()
    plot.answers(act, Done(), CONFLICT)
    plot.fires(plot.commits(), "retry")

    assert asked(plot.asks()) == [("PatchObject", "raycluster", KEY.name)]


def test_an_ended_job_counts_more_than_the_timeout() -> None:
    plot = plot_of(leaving(OURS))
    plot.passes(1000)
    plot.sees(job("Complete"))

    assert asked(plot.asks()) == [("PatchObject", "raycluster", KEY.name)]


def test_an_annotation_shortens_the_patience() -> None:
    """Checklist 24: the annotation is heeded."""
    plot = plot_of(annotated(leaving(OURS), gcs_ft_deletion_timeout="3700"))
    plot.passes(3700)
    plot.sees(job())

    notice = plot.asks()[0]

    assert isinstance(notice, PostNotice)
    assert "after 1h1m40s due to" in notice.message


def test_an_invalid_spec_does_not_keep_a_deleted_cluster() -> None:
    plot = plot_of(leaving(OURS, rayVersion="x", upgradeStrategy={"type": "Unheard"}))

    assert asked(plot.asks()) == [("CreateObject", "job", JOB)]


@pytest.mark.parametrize(
    "broken", [{"template": {"spec": {"containers": []}}}, {"template": {}}, "no object", 7]
)
def test_a_head_of_which_no_job_can_be_made_ends_the_wait_at_the_timeout(broken: object) -> None:
    plot = plot_of(leaving(OURS, headGroupSpec=broken))
    plot.sees(head())
    plot.executes(plot.commits())
    plot.sees(gone(head(), version=5000))
    act = plot.commits() if plot.decides() else None
    assert act is None or act.actions == ()

    plot.passes(300)
    plot.sees(worker("late"))

    assert asked(plot.asks()) == [
        ("PostNotice", "", ""),
        ("PatchObject", "raycluster", KEY.name),
        ("DeleteObject", "pod", "late"),
    ]


def test_an_unreadable_cluster_of_somebody_else_is_left_alone() -> None:
    plot = plot_of(leaving(OURS, headGroupSpec=7, managedBy="kueue.x-k8s.io/multikueue"))

    assert plot.decides() is None


def test_an_unreadable_cluster_without_our_finalizer_is_left_alone() -> None:
    assert plot_of(leaving(headGroupSpec=7)).left_alone()


def test_a_job_that_vanished_is_made_again() -> None:
    plot = plot_of(leaving(OURS), job())
    plot.commits()
    plot.sees(ObjectGone(kind="job", name=JOB, uid=f"uid-of-{JOB}", resource_version=2001))

    assert asked(plot.asks()) == [("CreateObject", "job", JOB)]
