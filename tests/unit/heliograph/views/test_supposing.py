"""What the rules would want, had it not happened."""

from datetime import timedelta

from heliograph.views.effects import effects_in
from heliograph.views.supposing import Effect, supposed, wanted_in, would_with
from shared.actions.objects import DeleteObject
from shared.events.objects import Observation, PodSeen
from tests.support.builders import failed, gone, head, service, worker
from tests.support.shadows import Shadow, cluster, would


def sees(shadow: Shadow, seen: PodSeen, now: Observation) -> Effect:
    """Let something happen to a pod; return what that is."""
    shadow.sees(now)
    (effect,) = effects_in(shadow.records[-1], ("pod", seen.meta.name), seen)
    return effect


def ready(*names: str) -> Shadow:
    shadow = Shadow()
    shadow.sees(cluster(len(names)), service(), head("theirs"), *map(worker, names))
    return shadow


def test_what_was_made_is_taken_away_again_and_wanted() -> None:
    shadow = ready("a", "b")
    (effect,) = effects_in(shadow.records[-1], ("pod", "b"), None)
    action = wanted_in(shadow.view(), effect, would())

    assert action is not None
    assert (action.rule, action.because) == ("worker_groups", "group small has 1 of 2 workers")


def test_what_went_is_put_back_and_its_end_is_wanted() -> None:
    shadow = ready("a", "b")
    broken = failed(worker("a", version=11))
    shadow.sees(broken)
    effect = sees(shadow, broken, gone(broken))
    action = wanted_in(shadow.view(), effect, would())

    assert isinstance(action, DeleteObject)
    assert (action.rule, action.name) == ("unhealthy", "a")


def test_the_one_that_went_is_preferred_to_others_of_its_group() -> None:
    shadow = ready("a", "b")
    both = [failed(worker(name, version=11)) for name in ("a", "b")]
    shadow.sees(*both)
    effect = sees(shadow, both[1], gone(both[1]))
    action = wanted_in(shadow.view(), effect, would())

    assert isinstance(action, DeleteObject)
    assert action.name == "b"


def test_a_healthy_one_is_not_wanted_away() -> None:
    shadow = ready("a", "b")
    effect = sees(shadow, worker("a"), gone(worker("a")))

    assert wanted_in(shadow.view(), effect, would()) is None


def test_wishes_that_stand_are_wishes_still() -> None:
    """What the last act wants already is nothing new, and wanted all the same."""
    shadow = Shadow()
    shadow.sees(cluster(1))
    shadow.thinks()
    seen = worker("a")
    shadow.sees(seen)
    (effect,) = effects_in(shadow.records[-1], ("pod", "a"), None)

    assert wanted_in(shadow.view(), effect, would()) is not None


def test_an_act_that_is_open_hides_no_wish() -> None:
    shadow = Shadow()
    shadow.sees(cluster(1))
    shadow.commits()
    shadow.sees(worker("a"))
    (effect,) = effects_in(shadow.records[-1], ("pod", "a"), None)

    assert wanted_in(shadow.view(), effect, would()) is not None


def test_deadlines_of_that_moment_have_passed() -> None:
    shadow = ready("a")
    act = shadow.commits()
    shadow.passes((act.timers[-1].due_at - shadow.now).total_seconds() + 60)
    effect = sees(shadow, worker("a"), gone(worker("a")))
    instead = supposed(shadow.view(), effect)

    assert instead.now == effect.at + timedelta(seconds=1)
    assert instead.woken == frozenset()
    assert instead.children["pod", "a"] == worker("a")


def test_unknown_settings_want_nothing() -> None:
    shadow = ready("a")
    (effect,) = effects_in(shadow.records[-1], ("pod", "a"), None)

    assert wanted_in(shadow.view(), effect, would_with({})) is None
