"""The runs of one container, as a function of time."""

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from sandbox.controllers.containers import Ending, Life, life_at, stopped
from sandbox.controllers.scenario import ContainerExit, PodRule
from tests.unit.sandbox.controllers.small_world import NOON, after

TWICE = PodRule(exits=(ContainerExit(after=1.0, times=2),), restart_after=1.0, ready_after=0.5)


def at(seconds: float, policy: str = "Always", start: datetime | None = NOON) -> Life:
    return life_at("c", TWICE, policy, start, after(seconds))


def ending(started: float, finished: float) -> Ending:
    return Ending(
        started_at=after(started), finished_at=after(finished), exit_code=1, reason="Error"
    )


def test_a_container_waits_until_it_is_started() -> None:
    assert at(-1) == Life(next_at=NOON)
    assert at(5, start=None) == Life()


def test_it_starts_gets_ready_ends_and_starts_again() -> None:
    assert [at(moment) for moment in (0, 0.5, 1, 2, 3, 5, 5.5)] == [
        Life(started_at=NOON, next_at=after(0.5)),
        Life(started_at=NOON, ready=True, next_at=after(1)),
        Life(last=ending(0, 1), next_at=after(2)),
        Life(started_at=after(2), last=ending(0, 1), restart_count=1, next_at=after(2.5)),
        Life(last=ending(2, 3), restart_count=1, next_at=after(5)),
        Life(started_at=after(5), last=ending(2, 3), restart_count=2, next_at=after(5.5)),
        Life(started_at=after(5), ready=True, last=ending(2, 3), restart_count=2),
    ]


def test_it_is_finished_when_the_policy_does_not_restart_it() -> None:
    assert at(9, "Never") == Life(last=ending(0, 1), finished=True)


def test_exits_of_other_containers_do_not_concern_it() -> None:
    rule = PodRule(exits=(ContainerExit(container="other", after=1.0),))

    assert life_at("c", rule, "Always", NOON, after(60)) == Life(started_at=NOON, ready=True)


def test_stopping_ends_a_run_and_leaves_the_rest_alone() -> None:
    assert stopped(at(0.7), 143, after(0.7)) == Life(
        last=Ending(started_at=NOON, finished_at=after(0.7), exit_code=143, reason="Error"),
        finished=True,
    )
    assert stopped(at(-1), 143, after(0)) == Life()


@given(seconds=st.floats(-1, 30), policy=st.sampled_from(["Always", "OnFailure", "Never"]))
def test_nothing_changes_before_the_moment_it_names(seconds: float, policy: str) -> None:
    now = at(seconds, policy)
    until = now.next_at or after(seconds + 100)

    halfway = after(seconds) + (until - after(seconds)) / 2

    assert until > after(seconds)
    assert life_at("c", TWICE, policy, NOON, halfway) == now
