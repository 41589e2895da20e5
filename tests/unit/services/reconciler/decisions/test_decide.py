"""What holds for every kind: one open act, replaced when late, closed by a tombstone."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.settings import digest_of
from shared.actions.objects import ConfirmObject
from shared.actions.outcomes import Done, Gone, Overtaken, Unknown
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Decided, Seen
from shared.events.objects import ObjectGone
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    HEAD_NAME,
    KEY,
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
from tests.support.plot import LOOKED_AT, Plot

OWN_GONE = ObjectGone(kind="raycluster", name="demo", uid=UID, resource_version=99)


def names(act: Decided | None) -> list[tuple[str, str]]:
    """What an act does, and to what."""
    found = []
    for action in act.actions if act else ():
        verb = type(action).__name__.removesuffix("Object").lower()
        found.append((verb, getattr(action, "name", "")))
    return found


def begun(workers: int = 1) -> tuple[Plot, Decided]:
    """A cluster whose first act is written and unanswered."""
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", workers))))
    return plot, plot.commits()


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


def test_what_stays_unseen_for_too_long_is_read_and_not_guessed() -> None:
    plot, first = begun()
    plot.executes(first)
    plot.fires(first, "wake")

    asked = plot.asks()

    assert all(isinstance(action, ConfirmObject) for action in asked)
    assert len(asked) == 3
    assert plot.commits().because[0] == (
        f"the create of pod {HEAD_NAME} has not been seen for too long"
    )


def test_a_wait_of_twenty_seconds_is_too_long_although_no_timer_fired() -> None:
    plot, first = begun()
    plot.executes(first)
    plot.passes(20)
    plot.sees(service(version=5000))

    assert {verb for verb, _ in names(plot.decides())} == {"confirm"}


def test_what_was_read_as_present_is_waited_for_again() -> None:
    plot, first = begun()
    plot.executes(first)
    plot.fires(first, "wake")
    plot.executes(plot.commits())

    assert plot.decides() is None


def test_what_was_read_as_gone_is_asked_for_again() -> None:
    plot, first = begun()
    plot.answers(first, *(Unknown(error="timeout") for _ in first.actions))
    plot.fires(first, "wake")
    reading = plot.commits()
    plot.answers(reading, *(Gone(resource_version=50) for _ in reading.actions))
    hold = plot.commits()
    plot.fires(hold, "retry")

    again = plot.commits()

    assert hold.because == ("waiting before asking again: timeout",)
    assert names(again)[:2] == [("create", SERVICE_NAME), ("create", HEAD_NAME)]
    assert len(again.actions) == 3


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


def test_the_same_view_gives_the_same_bytes() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 3), group("big", 2))))
    view = plot.view()

    assert encode(decide(view, CONTEXT)) == encode(decide(view, CONTEXT))


def test_the_same_wish_at_another_fence_is_another_act_with_other_workers() -> None:
    early, late = Plot(), Plot()
    late.uid = FORMER_UID
    late.acts(act())
    for plot in (early, late):
        plot.sees(resource(cluster_spec(group("small", 2))))
    first, second = early.commits(), late.commits()

    assert names(first)[:2] == names(second)[:2]
    assert not set(names(first)[2:]) & set(names(second)[2:])
    assert (first.fence, second.fence) == (0, 1)
    assert first.id != second.id


def test_an_act_says_what_it_saw_and_what_it_rests_on() -> None:
    plot = Plot()
    plot.passes(7)
    plot.sees(resource(generation=4))

    decided = plot.commits()

    assert (decided.based_on, decided.fence, decided.decided_at) == (1, 0, plot.now)
    assert decided.seen == Seen(session="session-1", generation=4, phase="active/0")
    assert decided.settings == digest_of(SETTINGS)
    assert decided.timers[0].due_at == plot.now + timedelta(seconds=20)


def test_the_last_act_of_a_quiet_resource_is_written_again_before_it_ages_out() -> None:
    plot, first = begun()
    plot.executes(first)
    plot.sees(service(version=2000), head(version=2001))
    plot.sees(*(worker(name, version=2002) for _, name in names(first)[2:]))
    plot.fires(first, "wake")
    plot.fires(first, "refresh")

    again = plot.commits()

    assert (again.actions, again.expectations) == ((), ())
    assert [timer.name for timer in again.timers] == ["refresh"]
    assert again.cancelled == ("wake",)
    assert plot.decides() is None


def test_settings_have_the_same_digest_whatever_process_asks() -> None:
    assert digest_of(SETTINGS) == digest_of(replace(SETTINGS))
    assert digest_of(SETTINGS) != digest_of(replace(SETTINGS, random_pod_delete=True))


def test_every_act_id_covers_its_subject() -> None:
    plot = Plot()
    plot.sees(resource())
    other = replace(plot.view(), key=replace(KEY, name="other"))

    decided, elsewhere = decide(plot.view(), CONTEXT), decide(other, CONTEXT)

    assert decided
    assert elsewhere
    assert subjects.act(KEY) != subjects.act(other.key)
    assert replace(decided, id="") == replace(elsewhere, id="")
    assert decided.id != elsewhere.id
