"""What holds for every kind: one open act, replaced when late, closed by a tombstone."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.settings import digest_of
from shared.actions.outcomes import Done, Overtaken
from shared.events.decisions import Seen
from shared.events.objects import ObjectGone
from tests.support.builders import (
    FORMER_UID,
    HEAD_NAME,
    SERVICE_NAME,
    SETTINGS,
    UID,
    act,
    cluster_spec,
    creation,
    group,
    head,
    owned_by,
    resource,
    service,
    worker,
)
from tests.support.plot import LOOKED_AT, Plot, begun, names

OWN_GONE = ObjectGone(kind="raycluster", name="demo", uid=UID, resource_version=99)


def test_of_what_was_never_seen_nothing_is_decided() -> None:
    assert Plot().decides() is None


def test_asking_again_with_nothing_new_says_nothing_while_the_act_is_open() -> None:
    plot, _ = begun()

    assert plot.decides() is None

    plot.sees(service(), resource(cluster_spec(group("small", 9)), generation=2, version=2))

    assert plot.decides() is None


def test_what_is_done_and_not_seen_yet_is_not_asked_for_again() -> None:
    plot, first = begun()
    plot.executes(first)

    assert plot.decides() is None


def test_what_is_seen_leaves_nothing_to_do() -> None:
    plot, first = begun()
    plot.executes(first)
    workers = [name for _, name in names(first) if "worker" in name]
    plot.sees(service(version=2000), head(version=2001))
    plot.sees(*(worker(name, version=2002) for name in workers))

    assert plot.decides() is None
    assert plot.view().expectations == ()


def looked_at(plot: Plot) -> tuple[object, ...]:
    """Commit an act and say what it asks for, which generation it saw, and why it was written."""
    act = plot.commits()
    return act.actions, act.seen.generation, act.because


def test_every_generation_is_looked_at_once_although_it_asks_for_nothing() -> None:
    plot = Plot()
    plot.sees(resource(), service(), head())

    assert looked_at(plot) == ((), 1, (LOOKED_AT.format(1),))
    assert plot.decides() is None

    plot.sees(head(version=11), resource(version=12))

    assert plot.decides() is None

    plot.sees(resource(generation=2, version=13))

    assert looked_at(plot) == ((), 2, (LOOKED_AT.format(2),))
    assert plot.decides() is None


def test_generations_that_came_and_went_meanwhile_are_not_looked_at() -> None:
    plot = Plot()
    plot.sees(service(), head())
    plot.sees(*(resource(generation=each, version=each) for each in range(1, 6)))

    assert looked_at(plot) == ((), 5, (LOOKED_AT.format(5),))
    assert plot.decides() is None


def test_a_generation_that_came_while_an_act_was_open_is_looked_at_when_it_is_answered() -> None:
    plot, first = begun()
    plot.sees(resource(cluster_spec(group("small", 1)), generation=2, version=2))

    assert plot.decides() is None

    plot.executes(first)

    assert looked_at(plot) == ((), 2, (LOOKED_AT.format(2),))
    assert len(plot.view().expectations) == len(first.actions)
    assert plot.decides() is None


def test_made_again_under_the_same_name_the_same_generation_is_looked_at_again() -> None:
    plot = Plot()
    plot.sees(resource(uid=FORMER_UID))
    plot.executes(plot.commits())
    plot.sees(resource(version=99), service(), head())

    assert plot.left_alone()


def test_looking_has_no_timer_but_the_one_that_keeps_the_act_from_ageing_out() -> None:
    plot = Plot()
    plot.sees(resource(), service(), head())

    assert [timer.name for timer in plot.commits().timers] == ["refresh"]


def test_an_act_that_stays_open_is_replaced_when_its_timer_fires() -> None:
    plot, first = begun()
    plot.fires(first, "wake")

    second = plot.commits()

    assert {verb for verb, _ in names(second)} == {"confirm"}
    assert {name for _, name in names(second)} == {name for _, name in names(first)}
    assert [(entry.what, entry.resource_version) for entry in second.expectations] == [
        ("create", 0)
    ] * 3
    assert plot.decides() is None


def test_the_replacing_act_is_written_even_when_it_asks_for_nothing() -> None:
    plot = Plot()
    plot.sees(resource(), service(), head())
    late = act(creation("w1"))
    plot.acts(late)
    plot.sees(worker("w1", group="small"))
    plot.sees(resource(cluster_spec(group("small", 1)), version=2))
    plot.fires(late, "wake")

    decided = plot.commits()

    assert decided.actions == ()
    assert decided.because == ("the act before this one stayed without an answer",)
    assert plot.decides() is None


def test_an_answer_that_comes_after_its_act_was_replaced_changes_nothing() -> None:
    plot, first = begun()
    plot.fires(first, "wake")
    second = plot.commits()
    plot.executes(first)

    assert plot.view().answer is None
    assert plot.decides() is None
    assert plot.view().act == second


def test_what_was_overtaken_is_asked_for_again_if_it_is_still_wanted() -> None:
    plot, first = begun()
    plot.answers(first, *(Overtaken(because="newer spec") for _ in first.actions))

    assert plot.decides() is None
    plot.fires(first, "wake")
    assert names(plot.decides())[:2] == names(first)[:2]


def test_a_resource_that_is_gone_gets_one_closing_act() -> None:
    plot, first = begun()
    plot.sees(OWN_GONE)

    closing = plot.commits()

    assert closing == replace(
        act(phase="gone", generation=0),
        id=closing.id,
        fence=2,
        based_on=3,
        because=("raycluster demo is gone",),
        settings=digest_of(SETTINGS),
        seen=Seen(session="session-1", generation=0, phase="gone"),
        cancelled=tuple(timer.name for timer in first.timers),
        closing=True,
    )
    assert plot.decides() is None


def test_a_resource_that_vanished_before_anything_was_decided_needs_no_closing_act() -> None:
    plot = Plot()
    plot.sees(resource(), OWN_GONE)

    assert plot.decides() is None


def reborn(*, closed: bool) -> Plot:
    """Deleted and made again under the same name, its former pods still there."""
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1)), uid=FORMER_UID))
    former = plot.commits()
    plot.answers(former, *(Done(uid=f"u{n}", resource_version=50 + n) for n in range(3)))
    plot.sees(owned_by(worker("former-worker"), FORMER_UID))
    if closed:
        plot.sees(replace(OWN_GONE, uid=FORMER_UID))
        plot.acts(replace(act(id_="closing"), closing=True))
    plot.sees(resource(cluster_spec(group("small", 1)), version=99))
    return plot


@pytest.mark.parametrize("closed", [False, True])
def test_made_again_under_the_same_name_it_starts_afresh(*, closed: bool) -> None:
    plot = reborn(closed=closed)

    first = plot.commits()

    assert [verb for verb, _ in names(first)] == ["create", "create", "create"]
    assert names(first)[:2] == [("create", SERVICE_NAME), ("create", HEAD_NAME)]
    assert first.expectations == ()


@pytest.mark.parametrize("closed", [False, True])
def test_the_pods_of_a_former_uid_are_never_touched(*, closed: bool) -> None:
    plot = reborn(closed=closed)
    plot.sees(resource(cluster_spec(), version=100, generation=2))

    assert [verb for verb, _ in names(plot.decides())] == ["create", "create"]
