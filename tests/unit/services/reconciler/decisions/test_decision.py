"""An act as it is written: what it rests on, its id, what it reads again, and that it is kept."""

from datetime import timedelta

from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.settings import digest_of
from shared.actions.objects import ConfirmObject
from shared.actions.outcomes import Gone, Unknown
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Seen
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    HEAD_NAME,
    KEY,
    SERVICE_NAME,
    SETTINGS,
    act,
    cluster_spec,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot, begun, names


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


def test_settings_have_the_same_digest_whatever_process_asks() -> None:
    assert digest_of(SETTINGS) == digest_of(replace(SETTINGS))
    assert digest_of(SETTINGS) != digest_of(replace(SETTINGS, random_pod_delete=True))
