"""A scenario at another pace: every span, written or not, and nothing else."""

import pytest

from sandbox.controllers.pace import paced
from sandbox.controllers.rayrules import AnswerRule, JobRule, RayScript
from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario, ScenarioError
from tests.unit.sandbox.controllers.small_world import NOON

SLOW = Scenario(
    rules=(PodRule(ready_after=10, exits=(ContainerExit(after=20, times=3, exit_code=7),)),),
    ray=RayScript(
        jobs=(JobRule(job="a", runs_for=None, pending_for=4),),
        answers=(AnswerRule(after=2, until=6, delay=1, status=500),),
    ),
)


def test_every_span_is_divided() -> None:
    quick = paced(SLOW, 2)
    [rule], [exit_] = quick.rules, quick.rules[0].exits

    assert (rule.ready_after, exit_.after, exit_.times, exit_.exit_code) == (5, 10, 3, 7)
    assert quick.otherwise.run_after == PodRule().run_after / 2
    [answer] = quick.ray.answers
    assert (answer.after, answer.until, answer.delay, answer.status) == (1, 3, 0.5, 500)


def test_what_goes_without_saying_keeps_the_pace_too() -> None:
    quick = paced(SLOW, 4).ray

    assert quick.job_rule("n", "c", "a", "x").runs_for is None
    assert quick.job_rule("n", "c", "b", "x").runs_for == 0.25
    assert quick.app_rule("n", "c", "b").steps[1].after == 0.2
    assert quick.head_rule("n", "c").up_after == 0.025


def test_moments_stay_where_they_are() -> None:
    evicted = Scenario(otherwise=PodRule(evicted_at=NOON))

    assert paced(evicted, 10).otherwise.evicted_at == NOON
    assert paced(SLOW, 1) is SLOW


def test_time_does_not_stand_still() -> None:
    with pytest.raises(ScenarioError, match="more than 0"):
        paced(SLOW, 0)
