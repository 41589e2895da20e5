"""The token's Secret: made with the head, known from answers alone, its value in no act."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.raycluster import auth_secret, head
from shared.actions.objects import CreateObject
from shared.actions.outcomes import AlreadySo, Refused, Unknown
from shared.events.codec import encode
from shared.events.objects import ResourceSeen
from tests.support.builders import HEAD_NAME, QUOTA, cluster_spec, done, gone, resource
from tests.support.builders import head as head_seen
from tests.support.concerns import ConcernPlot

SECRET = done("demo")
DENIED = Refused(code=403, reason="Forbidden", message="secrets is forbidden")


def asking(**options: object) -> ResourceSeen:
    auth = {"mode": "token", **options}
    return resource(cluster_spec(rayVersion="2.55.0", authOptions=auth))


def told() -> ConcernPlot:
    return ConcernPlot(auth_secret.ensure, head.ensure, marks=auth_secret.marks)


def names(plot: ConcernPlot) -> list[str]:
    return [action.name for action in plot.asks() if isinstance(action, CreateObject)]


def test_is_made_before_the_head_in_the_same_act() -> None:
    plot = told()
    plot.sees(asking())

    assert names(plot) == ["demo", HEAD_NAME]


def test_no_value_is_in_the_act() -> None:
    plot = told()
    plot.sees(asking())

    act = plot.commits()

    secret = act.actions[0]
    assert isinstance(secret, CreateObject)
    assert (secret.kind, secret.secret_keys) == ("secret", ("auth_token",))
    assert set(act.manifests["auth-secret"]) == {"apiVersion", "kind", "metadata"}
    assert not [part for part in (b'"stringData"', b'"data"') if part in encode(act)]


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "disabled"},
        {"mode": None},
        {"enableK8sTokenAuth": True},
        {"secretName": "theirs"},
    ],
)
def test_is_not_made_where_it_is_not_ours_to_make(options: dict[str, object]) -> None:
    """Checklist 82: neither for Kubernetes tokens nor for a Secret that the user named."""
    plot = told()
    plot.sees(asking(**options), head_seen())

    assert plot.left_alone()


def test_is_not_asked_for_again_once_an_answer_has_told_of_it() -> None:
    plot = told()
    plot.sees(asking())
    plot.answers(plot.commits(), SECRET, done(HEAD_NAME, 10))
    plot.sees(head_seen())
    assert plot.decides() is None

    again = asking()
    plot.sees(replace(again, meta=replace(again.meta, generation=2)))

    assert plot.left_alone()


def test_a_new_head_asks_for_it_once_more() -> None:
    plot = told()
    plot.sees(asking())
    plot.answers(plot.commits(), SECRET, done(HEAD_NAME, 10))
    plot.sees(head_seen(), gone(head_seen()))

    assert names(plot) == ["demo", HEAD_NAME]


def test_a_head_that_waits_after_a_refusal_does_not_ask_for_it() -> None:
    plot = told()
    plot.sees(asking())
    plot.answers(plot.commits(), SECRET, QUOTA)

    waiting = plot.commits()
    assert (waiting.actions, plot.decides()) == ((), None)

    plot.fires(waiting, "retry")
    assert names(plot) == ["demo", HEAD_NAME]


def test_a_refused_one_waits_for_its_own_timer_though_the_head_is_there() -> None:
    plot = told()
    plot.sees(asking())
    plot.answers(plot.commits(), DENIED, done(HEAD_NAME, 10))
    plot.sees(head_seen())
    waiting = plot.commits()
    assert (waiting.actions, plot.decides()) == ((), None)

    plot.fires(waiting, "retry")

    assert names(plot) == ["demo"]


def test_a_lost_answer_is_asked_for_again_but_not_at_once() -> None:
    plot = told()
    plot.sees(asking())
    act = plot.commits()
    plot.answers(act, Unknown(error="timed out"), done(HEAD_NAME, 10))
    plot.sees(head_seen())
    hold = plot.commits()
    assert (hold.actions, [one.message for one in hold.troubles]) == ((), ["timed out"])

    plot.fires(hold, "retry")
    assert names(plot) == ["demo"]

    plot.answers(plot.commits(), AlreadySo(uid="uid-of-demo", resource_version=7))
    assert plot.decides() is None
