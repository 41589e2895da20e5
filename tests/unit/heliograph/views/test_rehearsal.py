"""Rehearsal: exactly what a changed rule affects, the destructive first, by rule."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from heliograph.views.deciding import deciding
from heliograph.views.rehearsal import NO_RULE, Rehearsal, Rehearsing, change_of
from heliograph.views.replay import Verdict, replay
from services.reconciler.decisions.raycluster import decide as rules
from services.reconciler.decisions.raycluster import unhealthy
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import Action, DeleteObject, PatchObject
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from tests.contract.test_histories import HISTORIES, records_of
from tests.support.builders import KEY, act, creation, deletion


def rehearsed(records: tuple[Record, ...]) -> Rehearsal:
    rehearsing = Rehearsing()
    for verdict in replay(records, deciding(records)):
        rehearsing.take(verdict)
    return rehearsing.result()


def decided(*actions: Action) -> Decided:
    return replace(act(), actions=actions)


def verdict(then: Decided, now: Decided | None) -> Verdict:
    return Verdict(key=KEY, sequence=7, differences=("something",), then=then, now=now)


@pytest.mark.parametrize("name", HISTORIES)
def test_the_same_rules_differ_in_nothing(name: str) -> None:
    found = rehearsed(records_of(name))

    assert (found.different, found.destructive, found.groups) == (0, 0, ())
    assert found.decisions > 0


def test_a_seeded_change_of_a_rule_affects_exactly_the_decisions_of_that_rule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rule that no longer removes what cannot recover: of all histories, one act."""
    others = tuple(one for one in rules.PODS if one.__module__ != unhealthy.__name__)
    assert len(others) == len(rules.PODS) - 1
    monkeypatch.setattr(rules, "PODS", others)

    affected = {
        name: [change.sequence for group in found.groups for change in group.changes]
        for name in HISTORIES
        if (found := rehearsed(records_of(name))).different
    }

    expected = {
        name: [
            record.sequence
            for record in records_of(name)
            if isinstance(body := record.envelope.body, Decided)
            and any(action.rule == "unhealthy" for action in body.actions)
        ]
        for name in HISTORIES
    }
    assert affected == {name: acts for name, acts in expected.items() if acts}
    assert affected


def test_a_rule_that_newly_deletes_is_found_wherever_it_would_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def greedy(found: Situation) -> Iterator[Action]:
        for (kind, name), seen in found.view.children.items():
            if kind == "pod" and isinstance(seen, PodSeen):
                yield replace(deletion(name), uid=seen.meta.uid, rule="greedy")

    monkeypatch.setattr(rules, "PODS", (greedy, *rules.PODS))

    found = rehearsed(records_of("worker-failed"))

    (first, *_) = found.groups
    assert first.destructive
    assert "greedy" in first.rules
    assert found.destructive == sum(1 for change in first.changes if change.destroys) > 0


def test_a_new_deletion_is_destructive_and_comes_first() -> None:
    rehearsing = Rehearsing()
    rehearsing.take(verdict(decided(creation("a")), decided(creation("b"))))
    rehearsing.take(verdict(decided(creation("a")), decided(deletion("a"))))

    found = rehearsing.result()

    assert [group.destructive for group in found.groups] == [True, False]
    assert (found.different, found.destructive) == (2, 1)
    change = found.groups[0].changes[0]
    assert (change.destroys, change.leaves) == (("delete pod a",), ("create pod a",))


def test_a_deletion_that_was_decided_then_is_no_news() -> None:
    then = decided(deletion("a"))
    other = decided(replace(deletion("a"), because="the moon is full"))

    change = change_of(verdict(then, other))

    assert (change.destroys, change.adds, change.leaves) == ((), (), ())
    assert change.rules == (deletion("a").rule,)


def test_another_victim_is_destructive() -> None:
    same_name = replace(deletion("a"), uid="another")

    assert change_of(verdict(decided(deletion("a")), decided(same_name))).destroys


def test_another_change_of_the_same_object_is_destructive() -> None:
    patch = PatchObject(kind="pod", name="a", uid="u", patch={"x": 1}, rule="r", because="b")
    other = replace(patch, patch={"x": 2})

    assert change_of(verdict(decided(patch), decided(other))).destroys == ("change pod a",)


def test_deciding_nothing_now_takes_nothing_away() -> None:
    change = change_of(verdict(decided(deletion("a"), creation("b")), None))

    assert change.destroys == ()
    assert change.leaves == ("delete pod a", "create pod b")


def test_other_words_alone_are_of_no_rule() -> None:
    assert change_of(verdict(decided(), decided())).rules == (NO_RULE,)


def test_changes_of_one_rule_stand_together() -> None:
    rehearsing = Rehearsing()
    for name in ("a", "b", "c"):
        rehearsing.take(verdict(decided(), decided(deletion(name))))

    (group,) = rehearsing.result().groups

    assert len(group.changes) == 3
    assert group.rules == (deletion("a").rule,)
    assert isinstance(deletion("a"), DeleteObject)
