"""A shadow speaks when its wishes change: neither at bus speed nor by the clock."""

from msgspec.structs import replace

from services.reconciler.decisions.looking_on import nothing_new
from shared.actions.objects import ConfigureServe, CreateObject
from shared.actions.outcomes import Overtaken
from shared.events.decisions import REFRESH, WAKE, Decided
from shared.events.modes import NOT_DONE
from tests.support.builders import act, creation, failed, head, resource, service, worker
from tests.support.shadows import Shadow, cluster

SERVE = ConfigureServe(
    cluster="one", digest="d", address="a", service="s", rule="serve", because="b"
)


def made(act: Decided) -> list[str]:
    return [one.group or one.name for one in act.actions if isinstance(one, CreateObject)]


def begun(workers: int = 2) -> Shadow:
    shadow = Shadow()
    shadow.sees(cluster(workers))
    return shadow


def test_the_same_wishes_are_said_once() -> None:
    shadow = begun()
    first = shadow.thinks()

    assert sorted(made(first)) == sorted([service().meta.name, "headgroup", "small", "small"])
    assert shadow.decides() is None


def test_what_the_other_made_is_wanted_no_longer_at_once() -> None:
    shadow = begun()
    shadow.thinks()
    shadow.sees(service(), head(), worker("drawn-by-the-other"))

    assert made(shadow.thinks()) == ["small"]
    assert shadow.decides() is None


def test_wishes_that_came_true_are_taken_back_once() -> None:
    shadow = begun(1)
    shadow.thinks()
    shadow.sees(service(), head("any-name"), worker("any-other"))
    last = shadow.thinks()

    assert last.actions == ()
    assert last.because == ("what was wanted is there, or wanted no longer",)
    assert shadow.decides() is None


def test_a_trouble_that_comes_while_wishes_stand_is_seen_at_once() -> None:
    """Waiting for the timer would miss what the other operator does about it."""
    shadow = begun()
    shadow.thinks()
    shadow.sees(service(), head(), worker("a"))
    shadow.thinks()
    shadow.sees(failed(worker("a", version=11)))

    assert [one.rule for one in shadow.thinks().actions].count("unhealthy") == 1


def test_a_new_spec_is_judged_although_the_wishes_are_the_same() -> None:
    shadow = begun()
    shadow.thinks()
    shadow.sees(cluster(2, generation=2))

    assert shadow.thinks().seen.generation == 2


def test_the_timer_alone_repeats_nothing_that_is_watched() -> None:
    shadow = begun()
    first = shadow.thinks()
    shadow.fires(first, WAKE)

    assert shadow.decides() is None


def test_an_act_is_kept_from_ageing_out() -> None:
    shadow = begun()
    first = shadow.thinks()
    shadow.fires(first, REFRESH)

    assert made(shadow.thinks()) == made(first)


def test_what_nobody_watches_is_asked_for_again_by_the_timer() -> None:
    shadow = Shadow()
    shadow.sees(resource())
    asked = act(SERVE)
    shadow.acts(asked)
    shadow.answers(asked, Overtaken(because=NOT_DONE))
    assert nothing_new(shadow.view(), replace(asked, id="again"))

    shadow.fires(asked, WAKE)

    assert not nothing_new(shadow.view(), replace(asked, id="again"))


def test_other_names_for_the_same_wishes_are_nothing_new() -> None:
    shadow = Shadow()
    shadow.sees(resource())
    asked = act(creation("a"), creation("b"))
    shadow.acts(asked)
    shadow.answers(asked, *(Overtaken(because=NOT_DONE),) * 2)

    assert nothing_new(shadow.view(), replace(asked, actions=(creation("c"), creation("d"))))
    assert not nothing_new(shadow.view(), replace(asked, actions=(creation("c"),)))
    assert not nothing_new(shadow.view(), replace(asked, noted=("something",)))


def test_what_was_really_overtaken_waits_as_ever() -> None:
    shadow = begun()
    first = shadow.commits()
    shadow.answers(first, *(Overtaken(because="its time is over") for _ in first.actions))

    assert shadow.decides() is None
    shadow.sees(service(), head(), worker("a"), worker("b"))
    assert shadow.decides() is None
