"""When things happen to a pod: planned from its spec, its rule and the moment it was seen."""

from sandbox.controllers.scenario import PodRule
from sandbox.controllers.timeline import SEEN_AT, STOPPING_AT, Timeline, plan, precise, seen_at
from tests.unit.sandbox.controllers.pods import pod
from tests.unit.sandbox.controllers.small_world import NOON, after

RULE = PodRule(schedule_after=1, init_after=2, run_after=3)


def test_plans_each_stage_after_the_one_before() -> None:
    assert plan(pod("p", inits=("a", "b")), RULE, NOON) == Timeline(
        seen_at=NOON,
        scheduled_at=after(1),
        inits_done_at=(after(3), after(5)),
        started_at=after(8),
        pull_failed_at=None,
        pull_abandoned_at=None,
        evicted_at=None,
        stopped_at=None,
    )


def test_names_the_next_moment_of_the_plan() -> None:
    planned = plan(pod("p", inits=("a",)), RULE, NOON)

    moments = [planned.next_after(after(seconds)) for seconds in (0, 1, 3, 6)]

    assert moments == [after(1), after(3), after(6), None]


def test_a_pod_that_fits_nowhere_has_no_plan() -> None:
    planned = plan(pod("p", inits=("a",)), PodRule(unschedulable="no room"), NOON)

    assert (planned.scheduled_at, planned.inits_done_at, planned.started_at) == (None, (), None)
    assert planned.next_after(NOON) is None


def test_marks_keep_more_than_whole_seconds() -> None:
    seen = pod()
    seen["metadata"]["annotations"] = {SEEN_AT: precise(after(0.25))}

    assert seen_at(seen) == after(0.25)


def test_a_bound_pod_without_a_mark_counts_from_its_creation() -> None:
    bound, unbound = pod("p", nodeName="node"), pod("q")
    for made in (bound, unbound):
        made["metadata"]["creationTimestamp"] = "2026-01-01T12:00:00Z"

    assert (seen_at(bound), seen_at(unbound)) == (NOON, None)


def test_stopping_takes_the_shorter_of_rule_and_grace() -> None:
    stopping = pod()
    stopping["metadata"]["annotations"] = {STOPPING_AT: precise(after(10))}
    rule = PodRule(terminate_after=5)

    ends = []
    for grace in (None, 30, 2):
        stopping["metadata"]["deletionGracePeriodSeconds"] = grace
        ends.append(plan(stopping, rule, NOON).stopped_at)

    assert ends == [after(15), after(15), after(12)]
