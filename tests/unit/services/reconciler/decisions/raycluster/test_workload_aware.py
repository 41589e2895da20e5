"""Scheduling by Kubernetes itself: Workload, PodGroup, pods; and the way back."""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.actions.outcomes import Done, Occupied, Refused
from shared.aggregates.troubles import troubles
from shared.events.objects import ChildSeen, ObjectGone, ResourceSeen
from shared.kernel.schedulers import KUBERNETES_WAS
from tests.support.builders import (
    HEAD_NAME,
    NOON,
    SERVICE_NAME,
    SETTINGS,
    child_meta,
    cluster_spec,
    group,
    head,
    resource,
    service,
)
from tests.support.plot import Plot

Raw = dict[str, object]
GANG = {"ray.io/gang-scheduling-enabled": "true"}
PROTECTION = "scheduling.k8s.io/podgroup-protection"
CONTEXT = Context(
    settings=replace(
        SETTINGS, manifests=replace(SETTINGS.manifests, batch_scheduler=KUBERNETES_WAS)
    ),
    session="session-1",
)


def cluster(
    *groups: Raw, labels: dict[str, str] | None = None, version: int = 1, **spec: object
) -> ResourceSeen:
    seen = resource(cluster_spec(*groups, **spec), generation=version, version=version)
    return replace(seen, meta=replace(seen.meta, labels=GANG if labels is None else labels))


def policy(count: int) -> Raw:
    return {"schedulingPolicy": {"gang": {"minCount": count}}}


def workload(count: int = 1, *, version: int = 10) -> ChildSeen:
    templates = [{"name": "cluster", **policy(count)}]
    meta = child_meta("demo", version, {})
    return ChildSeen(meta=meta, kind="workload", spec={"podGroupTemplates": templates})


def pod_group(count: int = 1, *, version: int = 10) -> ChildSeen:
    meta = replace(child_meta("demo-cluster", version, {}), finalizers=(PROTECTION,))
    return ChildSeen(meta=meta, kind="podgroup", spec=policy(count))


def going(child: ChildSeen, version: int) -> ChildSeen:
    return replace(child, meta=replace(child.meta, deleted_at=NOON, resource_version=version))


def gone(child: ChildSeen, version: int) -> ObjectGone:
    meta = child.meta
    return ObjectGone(kind=child.kind, name=meta.name, uid=meta.uid, resource_version=version)


def asked(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(type(one).__name__, getattr(one, "name", "")) for one in actions]


def standing(*groups: Raw, count: int = 1) -> Plot:
    plot = Plot(CONTEXT)
    plot.sees(cluster(*groups), service(), head(), workload(count), pod_group(count))
    return plot


def carried_out(plot: Plot, version: int) -> tuple[Action, ...]:
    """The next act is done, and everything it did has this version."""
    act = plot.commits()
    deleting = [isinstance(one, DeleteObject) for one in act.actions]
    uids = [getattr(one, "uid", "new") for one in act.actions]
    plot.answers(
        act,
        *(
            Done(uid=uid, resource_version=version, deleting=leaves)
            for uid, leaves in zip(uids, deleting, strict=True)
        ),
    )
    return act.actions


def test_the_workload_comes_first_then_the_group_then_the_pods() -> None:
    plot = Plot(CONTEXT)
    plot.sees(cluster())
    first = carried_out(plot, 10)
    assert asked(first) == [("CreateObject", SERVICE_NAME), ("CreateObject", "demo")]
    assert first[-1] == CreateObject(
        kind="workload",
        name="demo",
        manifest="workload",
        rule="workload_aware",
        because="workload demo is missing",
    )
    plot.sees(service())
    assert plot.asks() == ()

    plot.sees(workload())
    assert carried_out(plot, 11) == (
        CreateObject(
            kind="podgroup",
            name="demo-cluster",
            manifest="pod-group",
            rule="workload_aware",
            because="pod group demo-cluster is missing",
        ),
    )
    assert plot.asks() == ()

    plot.sees(pod_group(version=11))
    assert asked(plot.asks()) == [("CreateObject", HEAD_NAME)]


def test_both_in_place_are_left_alone() -> None:
    assert standing(group("small", 0), count=1).left_alone()


def test_nobody_asks_and_nothing_is_made() -> None:
    plot = Plot(CONTEXT)
    plot.sees(cluster(labels={}), service())

    assert asked(plot.asks()) == [("CreateObject", HEAD_NAME)]


def test_another_size_removes_the_group_first_while_pods_wait() -> None:
    plot = standing(group("small", 1), count=1)

    [deletion] = carried_out(plot, 11)
    assert deletion == DeleteObject(
        kind="podgroup",
        name="demo-cluster",
        uid=pod_group().meta.uid,
        rule="workload_aware",
        because="the gang is 2 pods now",
    )
    assert plot.asks() == ()
    plot.sees(going(pod_group(), 11))
    assert carried_out(plot, 12) == (
        PatchObject(
            kind="podgroup",
            name="demo-cluster",
            uid=pod_group().meta.uid,
            resource_version=11,
            patch={"metadata": {"finalizers": None}},
            rule="workload_aware",
            because="pod group demo-cluster is kept by pods that shall outlive it",
        ),
    )


def test_after_the_group_the_workload_goes_and_both_are_made_anew() -> None:
    """Checklist 112."""
    plot = Plot(CONTEXT)
    plot.sees(cluster(group("small", 1)), service(), head(), workload(1), gone(pod_group(), 13))

    assert asked(carried_out(plot, 14)) == [("DeleteObject", "demo")]
    assert plot.asks() == ()
    plot.sees(gone(workload(), 14))
    assert asked(carried_out(plot, 15)) == [("CreateObject", "demo")]
    plot.sees(workload(2, version=15))
    assert asked(carried_out(plot, 16)) == [("CreateObject", "demo-cluster")]
    plot.sees(pod_group(2, version=16))
    assert [name for name, _ in asked(plot.asks())] == ["CreateObject"]


def test_other_finalizers_stay() -> None:
    plot = standing(group("small", 1))
    carried_out(plot, 11)
    kept = going(pod_group(), 11)
    plot.sees(replace(kept, meta=replace(kept.meta, finalizers=("a/b", PROTECTION))))

    [patch] = plot.asks()
    assert isinstance(patch, PatchObject)
    assert patch.patch == {"metadata": {"finalizers": ["a/b"]}}


def test_a_group_alone_that_is_stale_leaves_the_workload() -> None:
    plot = Plot(CONTEXT)
    plot.sees(cluster(group("small", 1)), service(), head(), workload(2), pod_group(1))
    assert asked(carried_out(plot, 11)) == [("DeleteObject", "demo-cluster")]
    plot.sees(gone(pod_group(), 12))

    assert asked(plot.asks()) == [("CreateObject", "demo-cluster")]


def test_a_workload_of_another_shape_is_replaced() -> None:
    plot = Plot(CONTEXT)
    plot.sees(cluster(), service(), head(), replace(workload(), spec={"podGroupTemplates": []}))

    assert asked(plot.asks()) == [("DeleteObject", "demo")]


def test_opting_out_removes_both_and_lets_pods_go_on() -> None:
    """Checklist 112."""
    plot = standing()
    plot.sees(cluster(group("small", 1), labels={}, version=2))

    assert asked(carried_out(plot, 11)) == [("DeleteObject", "demo-cluster")]
    assert plot.asks() == ()
    plot.sees(gone(pod_group(), 12))
    assert [name for name, _ in asked(plot.asks())] == ["DeleteObject", "CreateObject"]


def test_an_autoscaler_opts_out() -> None:
    plot = standing()
    plot.sees(cluster(version=2, enableInTreeAutoscaling=True))

    deletions = [one for one in plot.asks() if isinstance(one, DeleteObject)]
    assert [one.name for one in deletions] == ["demo-cluster"]


def test_a_cluster_that_does_not_serve_the_kind_is_told_and_has_no_pods() -> None:
    refused = Refused(code=404, reason="NotServed", message="the cluster serves no workloads")
    plot = Plot(CONTEXT)
    plot.sees(cluster(), service())
    plot.answers(plot.commits(), refused)

    assert plot.commits().actions == ()
    assert [one.message for one in troubles(plot.view())] == [refused.message]


def test_a_name_that_is_taken_is_told_and_nothing_is_removed() -> None:
    """Checklist 112."""
    taken = Occupied(
        uid="x", resource_version=5, message="workload demo exists and belongs to something else"
    )
    plot = Plot(CONTEXT)
    plot.sees(cluster(), service())
    plot.answers(plot.commits(), taken)

    assert plot.commits().actions == ()
    assert [one.rule for one in troubles(plot.view())] == ["workload_aware"]
