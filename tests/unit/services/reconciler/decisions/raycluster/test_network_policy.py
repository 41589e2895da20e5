"""Network policies are made, kept in step and removed, and strangers' are left alone."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.manifests.network_policy import network_policies
from shared.actions.objects import (
    Action,
    CreateObject,
    DeleteObject,
    Notice,
    PatchObject,
    PostNotice,
    Words,
)
from shared.actions.outcomes import Done, Occupied
from shared.events.objects import ChildSeen, ObjectGone, Owner, ResourceSeen
from shared.kernel.features import NETWORK_POLICY, Features
from shared.kernel.manifests import labels_of, mapping_at
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    KEY,
    NOON,
    SETTINGS,
    UID,
    child_meta,
    cluster_spec,
    group,
    head,
    owner,
    resource,
    service,
)
from tests.support.plot import Plot

Raw = dict[str, object]
HEAD_POLICY = "demo-head"
SMALL = "demo-workers-small"
OPEN = Context(
    settings=replace(SETTINGS, features=Features(enabled=frozenset({NETWORK_POLICY}))),
    session="session-1",
)
TAKEN = Occupied(uid="u", resource_version=5, message="networkpolicy demo-head exists")


def spec_with(policy: Raw | None) -> Raw:
    return cluster_spec(group("small", 0), **({} if policy is None else {"networkPolicy": policy}))


def policies(policy: Raw) -> dict[str, ChildSeen]:
    """The policies as they are once they were made for these options."""
    metadata = {"name": KEY.name, "namespace": KEY.namespace, "uid": UID}
    wanted = read_raycluster({"metadata": metadata, "spec": spec_with(policy)})
    assert isinstance(wanted, RayCluster)
    return {
        name: ChildSeen(
            meta=child_meta(name, 10, labels_of(made)),
            kind="networkpolicy",
            spec=dict(mapping_at(made, "spec")),
        )
        for name, made in network_policies(wanted).items()
    }


def plot_of(
    policy: Raw | None,
    *children: ChildSeen,
    context: Context = OPEN,
    owners: tuple[Owner, ...] = (),
) -> Plot:
    seen: ResourceSeen = resource(spec_with(policy))
    plot = Plot(context)
    plot.sees(replace(seen, meta=replace(seen.meta, owners=owners)), service(), head(), *children)
    return plot


def names(actions: tuple[Action, ...]) -> list[tuple[str, str]]:
    return [(type(one).__name__, getattr(one, "name", "")) for one in actions]


def test_missing_policies_are_made_before_anything_else() -> None:
    plot = Plot(OPEN)
    plot.sees(resource(spec_with({})))

    act = plot.commits()

    assert names(act.actions)[:2] == [("CreateObject", HEAD_POLICY), ("CreateObject", SMALL)]
    assert act.manifests[f"networkpolicy/{SMALL}"]["kind"] == "NetworkPolicy"
    assert act.actions[0] == CreateObject(
        kind="networkpolicy",
        name=HEAD_POLICY,
        manifest=f"networkpolicy/{HEAD_POLICY}",
        rule="network_policy",
        because="network policy demo-head is missing",
        notice=Notice(
            done=Words(
                reason="CreatedNetworkPolicy", message="Created NetworkPolicy prod/demo-head"
            ),
            refused=Words(
                reason="FailedToCreateNetworkPolicy",
                message="Failed to create NetworkPolicy prod/demo-head: ",
            ),
        ),
    )


def test_policies_that_are_done_and_not_seen_are_not_made_again() -> None:
    plot = plot_of({})
    plot.executes(plot.commits())

    assert plot.decides() is None


def test_policies_that_are_right_are_left_alone() -> None:
    assert plot_of({}, *policies({}).values()).left_alone()


def test_a_rule_that_the_server_stores_in_another_form_is_no_difference() -> None:
    rule: Raw = {"from": [], "ports": [{"port": 80}], "unheard": True}
    wanted: Raw = {"head": {"ingressRules": [rule]}}

    assert plot_of(wanted, *policies(wanted).values()).left_alone()


def test_the_gate_shut_policies_are_nobodys_business() -> None:
    assert plot_of(None, *policies({}).values(), context=CONTEXT).left_alone()


def test_a_changed_spec_changes_the_policy_in_place() -> None:
    made = policies({})
    plot = plot_of({"mode": "DenyAllIngress"}, *made.values())

    act = plot.commits()

    patch = act.actions[0]
    spec = made[HEAD_POLICY].spec
    assert patch == PatchObject(
        kind="networkpolicy",
        name=HEAD_POLICY,
        uid="uid-of-demo-head",
        patch={"spec": {**spec, "policyTypes": ["Ingress"], "egress": None}},
        resource_version=10,
        rule="network_policy",
        because="network policy demo-head is not as the spec says",
        notice=Notice(
            done=Words(
                reason="UpdatedNetworkPolicy", message="Updated NetworkPolicy prod/demo-head"
            ),
            refused=Words(
                reason="FailedToUpdateNetworkPolicy",
                message="Failed to update NetworkPolicy prod/demo-head: ",
            ),
        ),
    )
    assert names(act.actions) == [("PatchObject", HEAD_POLICY), ("PatchObject", SMALL)]
    plot.executes(act)
    assert plot.decides() is None


def test_a_selector_that_somebody_changed_is_set_right() -> None:
    made = policies({})
    ours = mapping_at(made[HEAD_POLICY].spec, "podSelector", "matchLabels")
    selector = {"matchLabels": {**ours, "more": "x"}, "matchExpressions": [{"key": "k"}]}
    bent = replace(made[HEAD_POLICY], spec={**made[HEAD_POLICY].spec, "podSelector": selector})

    (patch,) = plot_of({}, bent, made[SMALL]).asks()

    assert isinstance(patch, PatchObject)
    assert mapping_at(patch.patch, "spec", "podSelector") == {
        "matchLabels": {**ours, "more": None},
        "matchExpressions": None,
    }


def test_our_labels_are_kept_and_those_of_others_stay() -> None:
    made = policies({})
    meta = made[HEAD_POLICY].meta
    labels = {**meta.labels, "ray.io/group": "else", "team": "blue"}
    bent = replace(made[HEAD_POLICY], meta=replace(meta, labels=labels))

    (patch,) = plot_of({}, bent, made[SMALL]).asks()

    assert isinstance(patch, PatchObject)
    assert patch.patch == {"metadata": {"labels": {"ray.io/group": "headgroup"}}}


@pytest.mark.parametrize(("policy", "stale"), [(None, [HEAD_POLICY, SMALL]), ({}, [])])
def test_policies_are_removed_when_nobody_wants_them(policy: Raw | None, stale: list[str]) -> None:
    """Checklist 108: without options every owned policy goes."""
    plot = plot_of(policy, *policies({}).values())

    assert names(plot.asks()) == [("DeleteObject", name) for name in stale]


def test_the_policy_of_a_removed_group_goes_and_a_strangers_stays() -> None:
    """Checklist 108: stale owned policies are removed, foreign ones kept."""
    meta = child_meta("demo-workers-big", 10, {})
    stale = ChildSeen(meta=meta, kind="networkpolicy")
    foreign = replace(meta, name="demo-workers-huge", owners=(owner(FORMER_UID),))
    plot = plot_of({}, *policies({}).values(), stale, replace(stale, meta=foreign))

    act = plot.commits()

    assert act.actions == (
        DeleteObject(
            kind="networkpolicy",
            name="demo-workers-big",
            uid="uid-of-demo-workers-big",
            rule="network_policy",
            because="network policy demo-workers-big is no longer wanted",
            notice=Notice(
                done=Words(
                    reason="DeletedNetworkPolicy",
                    message="Deleted NetworkPolicy prod/demo-workers-big",
                ),
                refused=Words(
                    reason="FailedToDeleteNetworkPolicy",
                    message="Failed to delete NetworkPolicy prod/demo-workers-big: ",
                ),
            ),
        ),
    )
    plot.executes(act)
    assert plot.decides() is None


@pytest.mark.parametrize("policy", [None, {}, {"mode": "DenyAllEgress"}])
def test_a_policy_on_its_way_out_is_waited_for(policy: Raw | None) -> None:
    made = policies({}).values()
    going = [replace(one, meta=replace(one.meta, deleted_at=NOON)) for one in made]

    assert plot_of(policy, *going).left_alone()


def test_a_policy_that_somebody_removed_comes_back() -> None:
    made = policies({})
    plot = plot_of({}, *made.values())
    uid = made[SMALL].meta.uid
    plot.sees(ObjectGone(kind="networkpolicy", name=SMALL, uid=uid, resource_version=11))

    assert names(plot.asks()) == [("CreateObject", SMALL)]


def test_people_are_told_of_a_name_that_is_taken_each_time_it_is_tried() -> None:
    plot = plot_of({}, policies({})[SMALL])
    plot.answers(plot.commits(), TAKEN)

    act = plot.commits()

    assert act.actions == (
        PostNotice(
            warning=True,
            reason="NetworkPolicyNameCollision",
            action="Validate",
            message="NetworkPolicy prod/demo-head already exists and is not owned by this "
            "RayCluster, network isolation will not be applied. Rename the existing NetworkPolicy "
            "or use a different RayCluster name to avoid the collision",
            rule="network_policy",
            because="network policy demo-head belongs to something else",
        ),
    )
    plot.executes(act)
    assert plot.decides() is None
    plot.fires(act, "retry")
    assert names(plot.asks()) == [("CreateObject", HEAD_POLICY)]


@pytest.mark.parametrize(
    ("kind", "controller", "opened"),
    [("RayJob", True, 2), ("RayJob", False, 1), ("RayService", True, 1)],
)
def test_only_a_rayjob_that_controls_the_cluster_opens_the_dashboard(
    kind: str, controller: bool, opened: int
) -> None:
    seen = resource(spec_with({}))
    by = (Owner(kind=kind, name="night", uid="u", controller=controller),)
    labels = {"ray.io/job-submission-mode": "K8sJobMode"}
    plot = Plot(OPEN)
    plot.sees(replace(seen, meta=replace(seen.meta, owners=by, labels=labels)))

    made = plot.commits().manifests[f"networkpolicy/{HEAD_POLICY}"]

    ingress = mapping_at(made, "spec")["ingress"]
    assert isinstance(ingress, list)
    assert len(ingress) == opened


def test_a_second_change_is_made_like_the_first() -> None:
    plot = plot_of({"mode": "DenyAllIngress"}, *policies({}).values())
    act = plot.commits()
    plot.answers(act, *(Done(uid="u", resource_version=11) for _ in act.actions))
    for seen in policies({"mode": "DenyAllIngress"}).values():
        plot.sees(replace(seen, meta=replace(seen.meta, resource_version=11)))

    plot.sees(resource(spec_with({"mode": "DenyAllEgress"}), generation=2, version=20))
    assert names(plot.asks()) == [("PatchObject", HEAD_POLICY), ("PatchObject", SMALL)]
