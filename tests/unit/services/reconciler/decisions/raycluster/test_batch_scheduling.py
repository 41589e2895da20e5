"""What batch schedulers keep of a cluster: made before its pods, kept in step, refused aloud."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import Action, CreateObject, PatchObject, PostNotice
from shared.actions.outcomes import AlreadySo, Done, Occupied, Outcome, Refused
from shared.aggregates.troubles import troubles
from shared.events.decisions import Decided, Trouble
from shared.events.objects import ChildSeen, ObjectGone, Owner, ResourceSeen
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, VOLCANO, YUNIKORN
from tests.support.builders import (
    FORMER_UID,
    HEAD_NAME,
    NOON,
    SERVICE_NAME,
    SETTINGS,
    child_meta,
    cluster_spec,
    group,
    head,
    owner,
    resource,
    service,
    suspending,
    with_status,
)
from tests.support.plot import Plot

Raw = dict[str, object]
GROUP_NAMES = {VOLCANO: "ray-demo-pg", SCHEDULER_PLUGINS: "demo"}
KINDS = {VOLCANO: "volcanopodgroup", SCHEDULER_PLUGINS: "pluginpodgroup"}
GANG = {"ray.io/gang-scheduling-enabled": "true"}
TIER = "volcano.sh/network-topology-highest-tier-allowed"
SENSELESS = {"volcano.sh/network-topology-mode": "hard", TIER: "two"}
NOT_SERVED = Refused(
    code=404,
    reason="NotServed",
    message="the cluster serves no podgroups of scheduling.volcano.sh/v1beta1: "
    "is its definition installed, in this version?",
)


def context(scheduler: str) -> Context:
    manifests = replace(SETTINGS.manifests, batch_scheduler=scheduler)
    return Context(settings=replace(SETTINGS, manifests=manifests), session="session-1")


def cluster(
    *groups: Raw,
    labels: dict[str, str] | None = None,
    generation: int = 1,
    version: int = 1,
    **spec: object,
) -> ResourceSeen:
    seen = resource(cluster_spec(*groups, **spec), generation=generation, version=version)
    return replace(seen, meta=replace(seen.meta, labels=GANG if labels is None else labels))


def pod_group(
    scheduler: str = VOLCANO,
    members: int = 1,
    *,
    version: int = 10,
    owners: tuple[Owner, ...] = (),
    **resources: str,
) -> ChildSeen:
    meta = child_meta(GROUP_NAMES[scheduler], version, {})
    return ChildSeen(
        meta=replace(meta, owners=owners or meta.owners),
        kind=KINDS[scheduler],
        spec={"minMember": members, "minResources": dict(resources)},
    )


def asked(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(type(one).__name__, getattr(one, "name", "")) for one in actions]


def begun(plot: Plot, outcome: Outcome | None = None) -> Decided:
    """The first act is executed; the PodGroup, its last action, comes out as said."""
    act = plot.commits()
    done = [Done(uid=f"uid-{each}", resource_version=10) for each in range(len(act.actions))]
    plot.answers(act, *done[:-1], outcome or done[-1])
    return act


@pytest.mark.parametrize("scheduler", [VOLCANO, SCHEDULER_PLUGINS])
def test_the_group_is_made_first_and_pods_wait_until_it_is_seen(scheduler: str) -> None:
    plot = Plot(context(scheduler))
    plot.sees(cluster(group("small", 2)))
    name = GROUP_NAMES[scheduler]

    act = begun(plot)
    assert asked(act.actions) == [("CreateObject", SERVICE_NAME), ("CreateObject", name)]
    assert act.actions[-1] == CreateObject(
        kind=KINDS[scheduler],
        name=name,
        manifest=getattr(act.actions[-1], "manifest", ""),
        rule="batch_scheduling",
        because=f"pod group {name} is missing",
    )
    assert [one["kind"] for one in act.manifests.values()] == ["Service", "PodGroup"]
    plot.sees(service())
    assert plot.asks() == ()

    plot.sees(pod_group(scheduler, 3))
    assert asked(plot.asks())[0] == ("CreateObject", HEAD_NAME)
    assert len(plot.asks()) == 3


@pytest.mark.parametrize("scheduler", ["", YUNIKORN])
def test_other_schedulers_keep_nothing_beside_the_pods(scheduler: str) -> None:
    plot = Plot(context(scheduler))
    plot.sees(cluster())

    assert asked(plot.asks()) == [("CreateObject", SERVICE_NAME), ("CreateObject", HEAD_NAME)]


def test_plugins_have_a_group_only_where_the_label_is() -> None:
    plot = Plot(context(SCHEDULER_PLUGINS))
    plot.sees(cluster(labels={}))

    assert asked(plot.asks()) == [("CreateObject", SERVICE_NAME), ("CreateObject", HEAD_NAME)]


def test_a_cluster_of_a_rayjob_leaves_the_group_to_it() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(labels={"ray.io/originated-from-crd": "RayJob"}))

    assert asked(plot.asks()) == [("CreateObject", SERVICE_NAME), ("CreateObject", HEAD_NAME)]


@pytest.mark.parametrize("scheduler", [VOLCANO, SCHEDULER_PLUGINS])
def test_another_size_changes_the_group_together_with_the_pods(scheduler: str) -> None:
    plot = Plot(context(scheduler))
    plot.sees(cluster(group("small", 2)), service(), head(), pod_group(scheduler, 1, gpu="1"))

    patch, *pods = plot.asks()
    assert patch == PatchObject(
        kind=KINDS[scheduler],
        name=GROUP_NAMES[scheduler],
        uid=pod_group(scheduler).meta.uid,
        patch={"spec": {"minMember": 3, "minResources": {"gpu": None}}},
        rule="batch_scheduling",
        because=f"the gang of pod group {GROUP_NAMES[scheduler]} is 3 pods now",
    )
    assert len(pods) == 2


def test_a_group_of_the_right_size_is_left_alone_however_it_is_written() -> None:
    resources = {"limits": {"cpu": "1", "memory": "1Gi"}}
    template = {"spec": {"containers": [{"name": "ray", "image": "r", "resources": resources}]}}
    spec: Raw = {"rayStartParams": {}, "template": template}
    plot = Plot(context(VOLCANO))
    made = pod_group(VOLCANO, 1, cpu="1000m", memory="1024Mi")
    more = {**made.spec, "queue": "another", "priorityClassName": "low"}
    plot.sees(cluster(headGroupSpec=spec), service(), head(), replace(made, spec=more))

    assert plot.left_alone()


def test_a_group_without_resources_gets_them() -> None:
    plot = Plot(context(VOLCANO))
    bare = replace(pod_group(), spec={"minMember": 1})
    plot.sees(cluster(), service(), head(), bare)

    assert [type(one) for one in plot.asks()] == [PatchObject]


def test_a_change_that_does_not_show_is_not_repeated() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(group("small", 1)), service(), head(), pod_group())
    act = plot.commits()
    plot.answers(
        act,
        Done(uid=pod_group().meta.uid, resource_version=11),
        Done(uid="w", resource_version=12),
    )
    plot.sees(pod_group(version=11))

    assert not [one for one in plot.asks() if isinstance(one, PatchObject)]


@pytest.mark.parametrize("scheduler", [VOLCANO, SCHEDULER_PLUGINS])
def test_every_new_size_changes_the_group_also_right_after_a_change(scheduler: str) -> None:
    plot = Plot(context(scheduler))
    plot.sees(cluster(group("small", 1)), service(), head(), pod_group(scheduler))
    act = plot.commits()
    uid = pod_group(scheduler).meta.uid
    plot.answers(act, *(Done(uid=uid, resource_version=11) for _ in act.actions))
    plot.sees(pod_group(scheduler, 2, version=11))

    plot.sees(cluster(group("small", 2), generation=2, version=2))
    patches = [one.patch for one in plot.asks() if isinstance(one, PatchObject)]
    assert patches == [{"spec": {"minMember": 3, "minResources": {}}}]


def test_a_group_made_for_a_former_size_is_changed_at_once() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(group("small", 1)), service())
    begun(plot)
    plot.sees(pod_group(members=2), cluster(group("small", 2), generation=2, version=2))

    assert asked(plot.asks())[0] == ("PatchObject", "ray-demo-pg")


def test_a_group_that_somebody_removed_is_made_again() -> None:
    plot = Plot(context(VOLCANO))
    made = pod_group()
    plot.sees(cluster(), service(), head(), made)
    assert plot.left_alone()

    going = replace(made, meta=replace(made.meta, deleted_at=NOON, resource_version=11))
    plot.sees(going)
    assert plot.asks() == ()
    gone = ObjectGone(kind=made.kind, name=made.meta.name, uid=made.meta.uid, resource_version=12)
    plot.sees(gone)
    assert asked(plot.asks()) == [("CreateObject", "ray-demo-pg")]


def test_a_refused_group_holds_the_pods_and_is_told_and_tried_again() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster())
    begun(plot, NOT_SERVED)
    plot.sees(service())

    waiting = plot.commits()
    assert waiting.actions == ()
    assert [trouble.message for trouble in troubles(plot.view())] == [NOT_SERVED.message]
    assert plot.decides() is None

    plot.fires(waiting, "retry")
    again = plot.commits()
    assert asked(again.actions) == [("CreateObject", "ray-demo-pg")]
    plot.answers(again, Done(uid="u", resource_version=20))
    plot.sees(pod_group(version=20))
    assert asked(plot.asks()) == [("CreateObject", HEAD_NAME)]
    assert troubles(plot.view()) == ()


def test_a_refused_change_holds_the_pods() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(group("small", 1)), service(), head(), pod_group())
    act = plot.commits()
    plot.answers(act, NOT_SERVED, Refused(code=403, reason="Forbidden", message="quota"))

    waiting = plot.commits()
    assert waiting.actions == ()
    assert [trouble.rule for trouble in waiting.troubles] == ["batch_scheduling"]


def test_a_group_of_somebody_else_is_not_touched_and_holds_volcanos_pods() -> None:
    taken = Occupied(
        uid="x",
        resource_version=5,
        message="volcanopodgroup ray-demo-pg exists and belongs to something else",
    )
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(), pod_group(members=9, owners=(owner(FORMER_UID),)))
    begun(plot, taken)
    plot.sees(service())

    assert plot.asks() == ()


def test_plugins_use_a_group_that_somebody_else_made() -> None:
    taken = Occupied(
        uid="x",
        resource_version=5,
        message="pluginpodgroup demo exists and belongs to something else",
    )
    plot = Plot(context(SCHEDULER_PLUGINS))
    plot.sees(cluster())
    begun(plot, taken)
    plot.sees(service())

    act = plot.commits()
    assert asked(act.actions) == [("CreateObject", HEAD_NAME)]
    assert [trouble.message for trouble in act.troubles] == [taken.message]


def test_a_label_without_sense_holds_the_pods_and_is_told_once() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(labels=SENSELESS))
    act = plot.commits()
    told = (
        f'failed to convert {TIER} label to int: strconv.Atoi: parsing "two": invalid syntax '
        "for podgroup ray-demo-pg in namespace prod"
    )
    assert asked(act.actions) == [("CreateObject", SERVICE_NAME)]
    plot.executes(act)
    plot.sees(service(version=1000))

    assert plot.decides() is None
    assert troubles(plot.view()) == (
        Trouble(
            verb="create",
            rule="batch_scheduling",
            kind="volcanopodgroup",
            name="ray-demo-pg",
            message=told,
        ),
    )

    plot.sees(cluster(labels={**SENSELESS, TIER: "2"}, version=2))
    assert asked(plot.asks()) == [("CreateObject", "ray-demo-pg")]


def test_a_label_that_lost_its_sense_does_not_concern_a_group_that_is_there() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(labels=SENSELESS), service(), head(), pod_group())

    assert plot.left_alone()


def test_a_suspended_cluster_leaves_its_group_as_it_is() -> None:
    plot = Plot(context(VOLCANO))
    suspended = with_status(cluster(group("small", 2), suspend=True), suspending(1))
    plot.sees(suspended, service(), head(), pod_group(members=9))

    assert {type(one).__name__ for one in plot.asks()} == {"DeleteObject"}


def test_a_secret_is_not_asked_for_again_and_again_while_the_head_waits() -> None:
    plot = Plot(context(VOLCANO))
    plot.sees(cluster(authOptions={"mode": "token"}, rayVersion="2.52.0"), service())
    act = plot.commits()
    assert asked(act.actions) == [("CreateObject", "demo"), ("CreateObject", "ray-demo-pg")]
    plot.answers(act, AlreadySo(uid="s", resource_version=5), NOT_SERVED)

    assert plot.commits().actions == ()
    assert plot.decides() is None


def test_people_are_told_once_that_a_queue_is_missing() -> None:
    plot = Plot(context(KAI))
    plot.sees(cluster(labels={}), service(), head())
    act = plot.commits()

    assert act.actions == (
        PostNotice(
            warning=True,
            reason="MissingQueueLabel",
            action="Schedule",
            message="RayCluster prod/demo has no label kai.scheduler/queue: its pods stay pending "
            "until it names a queue",
            rule="batch_scheduling",
            because="label kai.scheduler/queue is missing",
        ),
    )
    plot.executes(act)
    assert plot.decides() is None

    plot.sees(cluster(labels={}, generation=2, version=3))
    assert len(plot.asks()) == 1
    plot.sees(cluster(labels={"kai.scheduler/queue": "team-a"}, generation=2, version=4))
    assert plot.asks() == ()
