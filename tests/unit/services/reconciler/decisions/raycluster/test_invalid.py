"""A spec that makes no sense: said once per generation, then silence, then on as before."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.senseless import AGAIN
from shared.actions.objects import PostNotice
from shared.actions.outcomes import Unknown
from shared.aggregates.troubles import troubles
from shared.kernel.features import parse_features
from tests.support.builders import (
    CONTEXT,
    SETTINGS,
    cluster_spec,
    failed,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.support.plot import Plot

Raw = dict[str, object]
ABSURD = cluster_spec(group("small", 1, minReplicas=5, maxReplicas=2))
GUARDED = cluster_spec(tlsOptions={"enabled": False})
EVERYTHING = parse_features("AllAlpha=true")
UNSHAPED: Raw = {"headGroupSpec": 7}


@pytest.mark.parametrize("spec", [ABSURD, UNSHAPED, {}])
def test_people_are_told_once_and_nothing_else_is_done(spec: Raw) -> None:
    plot = Plot()
    plot.sees(resource(spec), failed(worker("w1")))

    act = plot.commits()
    (notice,) = act.actions

    assert isinstance(notice, PostNotice)
    assert notice.warning
    assert notice.reason == "InvalidRayClusterSpec"
    assert notice.message.startswith("The RayCluster spec is invalid prod/demo: ")
    assert act.noted == ("invalid/1",)
    assert act.manifests == {}


@pytest.mark.parametrize("answered", [True, False])
def test_afterwards_there_is_silence(*, answered: bool) -> None:
    plot = Plot()
    plot.sees(resource(ABSURD))
    act = plot.commits()
    if answered:
        plot.executes(act)
    plot.sees(head(), worker("w1"))

    assert plot.decides() is None


def test_a_warning_that_did_not_get_through_is_given_again_after_a_pause() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD))
    plot.answers(plot.commits(), Unknown(error="no route to the API server"))
    pause = plot.commits()
    resting = plot.decides()
    plot.fires(pause, AGAIN)
    again = plot.commits()
    plot.executes(again)

    assert (pause.actions, pause.noted) == ((), ("unheard/1",))
    assert AGAIN in {timer.name for timer in pause.timers}
    assert resting is None
    assert [type(action) for action in again.actions] == [PostNotice]
    assert plot.decides() is None


def test_a_notice_that_nobody_answers_is_closed_and_not_repeated() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD))
    plot.fires(plot.commits(), "wake")

    closing = plot.commits()

    assert closing.actions == ()
    assert closing.noted == ("invalid/1",)
    assert [one.verb for one in closing.troubles] == ["validate"]
    assert plot.decides() is None


def test_the_trouble_is_there_for_the_status_to_tell() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD))
    plot.executes(plot.commits())

    assert [(one.verb, one.kind, one.name) for one in troubles(plot.view())] == [
        ("validate", "raycluster", "demo")
    ]


def test_every_generation_is_told_about_again() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD))
    plot.executes(plot.commits())
    plot.sees(resource(ABSURD, generation=2, version=2))

    act = plot.commits()

    assert act.noted == ("invalid/2",)
    assert [type(action) for action in act.actions] == [PostNotice]


def test_repaired_it_goes_on_as_if_nothing_had_been() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD), service(), head())
    plot.executes(plot.commits())
    plot.sees(resource(cluster_spec(group("small", 1)), generation=2, version=2))

    act = plot.commits()

    assert [action.rule for action in act.actions] == ["worker_groups"]
    assert (act.noted, act.troubles) == ((), ())
    assert troubles(plot.view()) == ()


def test_repaired_with_nothing_left_to_do_it_is_looked_at_and_the_trouble_is_over() -> None:
    plot = Plot()
    plot.sees(resource(ABSURD), service(), head())
    plot.executes(plot.commits())
    plot.sees(resource(generation=2, version=2))

    assert plot.left_alone()
    assert troubles(plot.view()) == ()


def test_what_other_settings_make_sense_of_is_judged_anew_once() -> None:
    plot = Plot()
    plot.sees(resource(GUARDED), service(), head())
    plot.executes(plot.commits())
    assert plot.decides() is None

    plot.context = replace(CONTEXT, settings=replace(SETTINGS, features=EVERYTHING))

    assert plot.left_alone()
    assert troubles(plot.view()) == ()


def test_what_was_in_flight_is_kept_in_mind_while_the_spec_is_invalid() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))
    plot.executes(plot.commits())
    plot.sees(resource(ABSURD, generation=2, version=2))

    assert len(plot.commits().expectations) == 3
