"""Recreate: which head is outdated, who goes in which order, and who is only stamped anew."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX, Draft, seal
from services.reconciler.decisions.raycluster import upgrade
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from shared.actions.objects import DeleteObject, Notice, PatchObject, Words
from shared.actions.outcomes import Unknown
from shared.events.decisions import Decided
from shared.events.objects import PodSeen
from shared.kernel.hashing import recreate_hash
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    HEAD_NAME,
    cluster_spec,
    deleting,
    done,
    gone,
    group,
    head,
    owned_by,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

Raw = dict[str, object]
HASH = "ray.io/upgrade-strategy-recreate-hash"
VERSION = "ray.io/kuberay-version"
OURS = CONTEXT.settings.manifests.version
RECREATE: Raw = {"upgradeStrategy": {"type": "Recreate"}}
SPEC = cluster_spec(group("small", 1), **RECREATE)
CURRENT = recreate_hash(SPEC)


def stamped(seen: PodSeen, made_from: str = "OLD", version: str = OURS) -> PodSeen:
    stamp = {HASH: made_from, VERSION: version}
    told = {key: value for key, value in stamp.items() if value}
    return replace(seen, meta=replace(seen.meta, annotations=told))


class Upgrade(Plot):
    """A history in which only this concern decides."""

    def found(self) -> Situation:
        found = situation_of(self.view(), self.context)
        assert isinstance(found, Situation)
        return found

    def decides(self) -> Decided | None:
        if not upgrade.concerns(self.found()):
            actions = tuple(upgrade.restamp(self.found()))
            return seal(self.view(), Draft(phase="active/0", actions=actions), self.context)
        return seal(self.view(), upgrade.draft(self.found()), self.context)


def cluster(*pods: PodSeen, spec: Raw = SPEC) -> Upgrade:
    plot = Upgrade()
    plot.sees(resource(spec), service(), *pods)
    return plot


def removed(plot: Upgrade) -> list[str]:
    return [action.name for action in plot.asks() if isinstance(action, DeleteObject)]


OLD = stamped(head())


@pytest.mark.parametrize(
    ("spec", "pods", "outdated"),
    [
        (SPEC, [OLD], True),
        (SPEC, [deleting(OLD)], True),
        (SPEC, [stamped(head(), CURRENT)], False),
        (SPEC, [stamped(head(), "")], False),
        (SPEC, [stamped(head(), "OLD", "")], False),
        (SPEC, [stamped(head(), "OLD", "v0.9.0")], False),
        (SPEC, [stamped(worker("w1"))], False),
        (SPEC, [owned_by(OLD, FORMER_UID)], False),
        (SPEC, [], False),
        (cluster_spec(upgradeStrategy={"type": "None"}), [OLD], False),
        (cluster_spec(), [OLD], False),
    ],
)
def test_concerns_our_head_with_our_stamp_of_another_spec(
    spec: Raw, pods: list[PodSeen], *, outdated: bool
) -> None:
    """Checklist 94: needs strategy, head pod, non-empty differing hash and equal version."""
    assert upgrade.concerns(cluster(*pods, spec=spec).found()) is outdated


def test_suspending_or_resuming_is_no_change_of_the_spec() -> None:
    current = stamped(head(), CURRENT)

    assert not upgrade.concerns(cluster(current, spec={**SPEC, "suspend": False}).found())


def test_the_workers_go_first_and_then_the_head() -> None:
    plot = cluster(OLD, worker("w1"), worker("b1", group="big"))

    assert removed(plot) == ["b1", "w1"]

    plot.executes(plot.commits())

    assert removed(plot) == [HEAD_NAME]

    plot.executes(plot.commits())

    assert plot.decides() is None


def test_says_why_and_tells_people() -> None:
    act = cluster(OLD).commits()

    assert act.because == ("the spec changed, and the upgrade strategy is Recreate",)
    assert act.actions == (
        DeleteObject(
            kind="pod",
            name=HEAD_NAME,
            uid=OLD.meta.uid,
            rule="recreate",
            because=act.because[0],
            notice=Notice(
                done=Words(
                    reason="DeletedPod",
                    message=f"Deleted Pod {HEAD_NAME} of RayCluster prod/demo "
                    "due to spec change with Recreate upgradeStrategy",
                ),
                refused=Words(
                    reason="FailedToDeletePodCollection",
                    message="Failed deleting Pods due to spec change with Recreate "
                    "upgradeStrategy for RayCluster prod/demo, ",
                ),
            ),
        ),
    )


def test_more_pods_than_an_act_holds_all_go_before_the_head_does() -> None:
    plot = cluster(OLD, *(worker(f"w{number}") for number in range(ACTIONS_MAX + 5)))
    first = plot.commits()
    plot.executes(first)

    assert (len(first.actions), len(removed(plot))) == (ACTIONS_MAX, 5)
    assert HEAD_NAME not in removed(plot)


def test_the_head_waits_for_a_deletion_of_unknown_outcome() -> None:
    plot = cluster(OLD, worker("w1"))
    plot.answers(plot.commits(), Unknown(error="timeout"))

    assert removed(plot) == []

    plot.sees(gone(worker("w1")))

    assert removed(plot) == [HEAD_NAME]


def test_the_head_waits_for_a_worker_that_was_asked_for_and_is_not_seen_yet() -> None:
    asked = Plot()
    asked.sees(resource(SPEC), service(), stamped(head(), CURRENT))
    creating = asked.commits()
    plot = cluster(stamped(head(), CURRENT))
    plot.acts(creating)
    plot.executes(creating)
    plot.sees(resource({**SPEC, "rayVersion": "2.47.0"}, generation=2, version=2))

    assert upgrade.concerns(plot.found())
    assert removed(plot) == []

    late = worker(creating.actions[0].name, version=5000)  # type: ignore[union-attr]  # a creation
    plot.sees(late)

    assert removed(plot) == [late.meta.name]


def test_a_head_of_another_version_is_stamped_anew_and_not_restarted() -> None:
    """Checklist 94: a change of version only re-stamps."""
    plot = cluster(stamped(head(), "THEIRS", "v1.6.0"), worker("w1"))

    act = plot.commits()

    assert act.actions == (
        PatchObject(
            kind="pod",
            name=HEAD_NAME,
            uid=OLD.meta.uid,
            patch={"metadata": {"annotations": {HASH: CURRENT, VERSION: OURS}}},
            rule="restamp",
            because=f"head pod {HEAD_NAME} was stamped by version v1.6.0",
        ),
    )


def test_stamps_once_and_is_content_when_the_stamp_is_seen() -> None:
    theirs = stamped(head(), "THEIRS", "v1.6.0")
    plot = cluster(theirs)
    plot.answers(plot.commits(), done(HEAD_NAME, 50))

    assert plot.decides() is None

    plot.sees(stamped(head(version=50), CURRENT))

    assert plot.decides() is None


@pytest.mark.parametrize(
    ("spec", "pod"),
    [
        (cluster_spec(), stamped(head(), "THEIRS", "v1.6.0")),
        (SPEC, stamped(worker("w1"), "THEIRS", "v1.6.0")),
        (SPEC, deleting(stamped(head(), "THEIRS", "v1.6.0"))),
        (SPEC, stamped(head(), "THEIRS", "")),
    ],
)
def test_stamps_living_heads_under_recreate_only(spec: Raw, pod: PodSeen) -> None:
    assert tuple(upgrade.restamp(cluster(pod, spec=spec).found())) == ()


def test_nothing_is_made_until_the_old_head_is_gone_and_then_everything_is() -> None:
    plot = Plot()
    plot.sees(resource(SPEC), service(), OLD, worker("w1"))
    for _ in range(2):
        plot.executes(plot.commits())
    plot.sees(deleting(OLD, version=5000), gone(worker("w1"), version=5001))

    assert plot.asks() == ()

    plot.sees(gone(OLD, version=5002))

    assert [action.rule for action in plot.asks()] == ["head", "worker_groups"]
