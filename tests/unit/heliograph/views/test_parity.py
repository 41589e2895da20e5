"""Parity: what both do matches, what one alone wants is named with its rule."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.parity import Comparing, Parity, percent_of
from heliograph.views.supposing import would_with
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.events import subjects
from shared.events.envelope import SCHEMA, Envelope
from shared.events.modes import ModeChosen
from shared.events.objects import ObjectGone, PodSeen
from shared.events.records import KindListed
from tests.support.builders import (
    KEY,
    NOON,
    UID,
    being_deleted,
    deleting,
    failed,
    gone,
    head,
    service,
    suspending,
    with_status,
    worker,
)
from tests.support.crons import OPEN, CronPlot, name_at, run_seen
from tests.support.shadows import Shadow, cluster, would


def differences(found: Parity) -> list[tuple[str, str, str]]:
    return [(one.verdict, one.rule, one.what) for one in found.differences]


def grown(*names: str) -> Shadow:
    """A cluster that the other operator has made, with these workers."""
    shadow = Shadow()
    shadow.sees(cluster(len(names)))
    shadow.thinks()
    shadow.sees(service(), head("theirs"), *(worker(name) for name in names))
    shadow.thinks()
    return shadow


def test_what_both_make_matches_whatever_it_is_called() -> None:
    found = grown("a", "b").compared(after=60)

    assert (found.percent, found.matched, found.undecided) == (100.0, 4, 0)
    assert {one.rule: one.matched for one in found.rules} == {
        "head": 1,
        "head_service": 1,
        "worker_groups": 2,
    }


def test_what_came_before_we_could_want_it_matches() -> None:
    """The other operator is quicker, and its pods are seen before the spec they come from."""
    shadow = Shadow()
    shadow.sees(head("theirs"), worker("a"), service(), cluster(1))

    assert shadow.compared(after=60).percent == 100.0


def test_what_nobody_makes_is_missing_and_its_rule_is_named() -> None:
    shadow = Shadow()
    shadow.sees(cluster(1))
    shadow.thinks()
    shadow.sees(service(), head("theirs"))
    shadow.thinks()
    fresh, old = shadow.compared(after=10), shadow.compared(after=60)

    assert (fresh.percent, fresh.undecided) == (100.0, 1)
    assert differences(old) == [("missing", "worker_groups", "create pod of group small")]
    assert old.differences[0].because == "group small has 0 of 1 workers"
    assert (old.percent, old.undecided) == (66.6, 0)


def test_one_too_many_is_extra_and_not_taking_it_away_is_missing() -> None:
    shadow = grown("a")
    shadow.sees(worker("b", age=-1))
    shadow.thinks()
    found = shadow.compared(after=60)

    assert differences(found) == [
        ("extra", "create pod", "pod b of group small appeared"),
        ("missing", "worker_groups", "delete pod b"),
    ]


def test_an_object_that_says_which_rule_made_it_is_told_by_that() -> None:
    shadow = grown("a")
    marked = worker("b")
    meta = replace(marked.meta, annotations={"heliograph.dev/rule": "their_rule"})
    shadow.sees(replace(marked, meta=meta))

    assert differences(shadow.compared(after=60))[0][1] == "their_rule"


def test_sending_away_another_of_equal_worth_matches() -> None:
    shadow = grown("a", "b", "c")
    shadow.sees(cluster(2, generation=2))
    wanted = [one.name for one in shadow.thinks().actions]  # type: ignore[union-attr]  # deletions
    other = next(name for name in ("a", "b", "c") if name not in wanted)
    shadow.sees(gone(worker(other)))
    shadow.thinks()

    assert shadow.compared(after=60).percent == 100.0


def test_a_pod_that_cannot_recover_and_stays_is_missing() -> None:
    shadow = grown("a")
    shadow.sees(failed(worker("a", version=11)))
    shadow.thinks()
    shadow.sees(worker("b"))
    shadow.thinks()

    assert differences(shadow.compared(after=60)) == [("missing", "unhealthy", "delete pod a")]


def test_a_healthy_pod_that_goes_is_extra() -> None:
    shadow = grown("a", "b")
    shadow.sees(deleting(worker("a", version=11)), gone(worker("a", version=12)))

    assert differences(shadow.compared(after=60)) == [
        ("extra", "delete pod", "pod a of group small went")
    ]


def test_pods_of_a_suspended_cluster_go_as_we_would_have_it() -> None:
    shadow = grown("a")
    spec = {**cluster(1).spec, "suspend": True}
    shadow.sees(with_status(replace(cluster(1, generation=2), spec=spec), suspending(2)))
    shadow.sees(gone(worker("a")), gone(head("theirs")))
    found = shadow.compared(after=60)

    assert (found.percent, found.differences) == (100.0, ())


@pytest.mark.parametrize("tombstone_first", [True, False])
def test_what_goes_with_its_owner_is_nobodys_decision(*, tombstone_first: bool) -> None:
    shadow = grown("a")
    matched = shadow.compared().matched
    end = ObjectGone(kind="raycluster", name=KEY.name, uid=UID, resource_version=50)
    pods = [gone(worker("a")), gone(head("theirs"))]
    for one in (end, *pods) if tombstone_first else (*pods, end):
        _see(shadow, one)
    found = shadow.compared(after=60)

    assert (found.percent, found.matched, found.undecided) == (100.0, matched, 0)


def _see(shadow: Shadow, one: ObjectGone) -> None:
    shadow.append(subjects.observed(KEY, one.kind, one.name), one)


def test_what_goes_while_its_owner_is_going_is_nobodys_decision() -> None:
    shadow = grown("a")
    shadow.sees(being_deleted(cluster(1)), gone(worker("a")))

    assert shadow.compared(after=60).percent == 100.0


def test_what_was_there_when_we_came_is_nobodys_decision() -> None:
    shadow = Shadow()
    marks = shadow.records[2:]
    del shadow.records[2:]
    shadow.sees(cluster(1), head("theirs"), service(), worker("a"), worker("b"))
    shadow.records += [replace(one, sequence=100 + one.sequence) for one in marks]
    found = shadow.compared(after=60)

    assert (found.percent, found.matched) == (None, 0)


def test_a_wish_that_was_only_out_of_step_counts_for_nothing() -> None:
    """A pod is seen before the spec that it comes from: for a moment it is one too many."""
    shadow = grown("a")
    shadow.sees(worker("b"))
    assert shadow.thinks().actions
    shadow.sees(cluster(2, generation=2))
    shadow.thinks()
    found = shadow.compared(after=60)

    assert (found.percent, found.matched) == (100.0, 4)


def test_only_what_is_of_the_time_asked_for_is_compared() -> None:
    shadow = grown("a")
    shadow.passes(3600)
    later = shadow.now
    shadow.sees(worker("b"))
    comparing = Comparing(would(), since=later)
    for record in shadow.records:
        comparing.take(record)
    found = comparing.result(later + timedelta(minutes=5))

    assert (found.matched, found.extra) == (0, 1)


def test_a_log_of_an_installation_that_acts_says_so() -> None:
    shadow = Shadow()
    shadow.append(subjects.MODE, ModeChosen())
    comparing = Comparing(would())
    for record in shadow.records:
        comparing.take(record)

    assert comparing.shadow is False


@pytest.mark.parametrize(
    ("alike", "apart", "percent"), [(1, 0, 100.0), (0, 1, 0.0), (9999, 1, 99.9), (2, 1, 66.6)]
)
def test_a_hundred_means_all(alike: int, apart: int, percent: float) -> None:
    assert percent_of(alike, apart) == percent


def test_a_pod_of_another_owner_is_not_compared() -> None:
    shadow = grown("a")
    stranger = worker("stranger")
    meta = replace(stranger.meta, owners=(replace(stranger.meta.owners[0], uid="another"),))
    shadow.sees(PodSeen(meta=meta))

    assert shadow.compared(after=60).extra == 0


@pytest.mark.parametrize(("minute", "verdicts"), [(5, []), (3, ["extra"])])
def test_a_run_that_the_schedule_names_matches_and_another_does_not(
    minute: int, verdicts: list[str]
) -> None:
    """The other operator's clock is a little ahead: our timer has not gone off yet."""
    plot = CronPlot()
    plot.commits()
    plot.now = NOON + timedelta(minutes=minute, milliseconds=-300)
    plot.sees(run_seen(name_at(minute)))
    known = {digest_of(OPEN): as_plain(OPEN)}
    comparing = Comparing(would_with(known))
    listed = KindListed(kind="rayjob", session="s", number=1, resource_version=1, count=0)
    comparing.take(replace(plot.records[0], subject=subjects.sync("rayjob"), envelope=_of(listed)))
    for record in plot.records:
        comparing.take(record)
    found = comparing.result(plot.now + timedelta(minutes=1))

    assert [one.verdict for one in found.differences] == verdicts
    assert found.matched == 1 - len(verdicts)


def _of(body: KindListed) -> Envelope:
    return Envelope(schema=SCHEMA, id="listed", body=body, code="test", written_at=NOON)
