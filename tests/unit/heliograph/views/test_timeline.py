"""A history in people's words: a line for every body that says something, none for echoes."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from heliograph.views.timeline import Moment, timeline
from shared.actions.objects import Action, ConfirmObject, PostNotice
from shared.actions.outcomes import (
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Overtaken,
    Refused,
    Unknown,
)
from shared.events import subjects
from shared.events.decisions import Decided, SettingsUsed
from shared.events.records import KindListed, StatusWritten, TimerFired
from tests.support.builders import (
    KEY,
    NOON,
    act,
    creation,
    deletion,
    done,
    head,
    resource,
    with_status,
)
from tests.support.history import History

NOTICE = PostNotice(
    warning=True, reason="Bad", action="Validate", message="m", rule="r", because="it is bad"
)
LOOK = ConfirmObject(kind="pod", name="w1", rule="confirm", because="not seen")


def told(history: History) -> list[tuple[str, str]]:
    return [(moment.what, moment.text) for moment in timeline(history.records)]


def test_a_moment_has_its_place_time_and_reasons() -> None:
    history = History()
    history.passes(5)
    history.acts(act(creation("w1")))

    assert list(timeline(history.records)) == [
        Moment(
            sequence=1,
            at=NOON + timedelta(seconds=5),
            what="decided",
            text="create pod of group small",
            because=("for a test",),
        )
    ]


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ((), "to wait"),
        ((creation("w1"), creation("w2")), "create pod of group small (2)"),
        ((creation("demo-svc", group=""),), "create pod demo-svc"),
        ((deletion("w1"), deletion("w2")), "delete pod w1, delete pod w2"),
        ((LOOK,), "look again for pod w1"),
        ((NOTICE,), "tell people: Bad"),
    ],
)
def test_what_was_decided(actions: tuple[Action, ...], text: str) -> None:
    history = History()
    history.acts(act(*actions))

    assert told(history) == [("decided", text)]


def test_the_last_decision_closes_the_books() -> None:
    history = History()
    history.acts(replace(act(), closing=True))

    assert told(history) == [("decided", "to close its books")]


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (done("w1"), "create pod w1"),
        (AlreadySo(uid="u", resource_version=2), "create pod w1: it was so already"),
        (Gone(resource_version=2), "create pod w1: it is gone"),
        (
            Refused(code=403, reason="Forbidden", message="exceeded quota"),
            "create pod w1: refused: exceeded quota",
        ),
        (
            Occupied(uid="u", resource_version=2, message="it is not ours"),
            "create pod w1: the name is taken: it is not ours",
        ),
        (Overtaken(because="newer spec"), "create pod w1: not done, newer spec"),
        (Unknown(error="timed out"), "create pod w1: no answer: timed out"),
    ],
)
def test_what_came_of_it(outcome: Outcome, text: str) -> None:
    history = History()
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, outcome)

    assert told(history)[1:] == [("done", text)]


def test_every_action_of_an_act_has_its_line() -> None:
    history = History()
    asked = act(deletion("w1"), LOOK, NOTICE)
    history.acts(asked)
    history.answers(asked, done("w1"), Gone(resource_version=3), Done())

    assert told(history)[1:] == [
        ("done", "delete pod w1"),
        ("done", "look again for pod w1: it is gone"),
        ("done", "tell people: Bad"),
    ]


def test_an_answer_whose_act_is_no_longer_there_is_told_all_the_same() -> None:
    history = History()
    history.answers(act(creation("w1")), done("w1"))

    assert told(history) == [("done", "something that was decided before the log begins")]


def test_what_was_told_as_status() -> None:
    history = History()
    for because in (("state: ready", "Fit is True (Yes)"), ()):
        body = StatusWritten(status={}, resource_version=2, based_on=1, because=because)
        history.append(subjects.status(KEY), body)

    assert told(history) == [
        ("told", "status: state: ready; Fit is True (Yes)"),
        ("told", "status: details only"),
    ]


@pytest.mark.parametrize(
    ("late", "text"), [(0.4, "wake went off"), (90, "wake went off, 90.0 s late")]
)
def test_timers_and_how_late_they_were(late: float, text: str) -> None:
    history = History()
    history.passes(late)
    history.append(subjects.fired(KEY, "wake"), TimerFired(timer="wake", due_at=NOON, act=1))

    assert told(history) == [("timer", text)]


def test_sightings_are_told_and_echoes_are_not() -> None:
    history = History()
    history.sees(resource(), head())
    history.writes_status({"state": "ready"}, version=2)
    history.sees(with_status(resource(version=2), {"state": "ready"}), head(version=11))

    assert told(history) == [
        ("seen", "demo appeared"),
        ("seen", f"pod {head().meta.name} appeared"),
        ("told", "status: details only"),
    ]


def test_settings_and_sessions_are_nobodys_history() -> None:
    history = History()
    history.append(subjects.settings("d"), SettingsUsed(digest="d", settings={}))
    listed = KindListed(kind="pod", session="s", number=1, resource_version=1, count=0)
    history.append(subjects.sync("pod"), listed)

    assert told(history) == []


def test_telling_again_tells_the_same() -> None:
    history = History()
    decided: Decided = act(creation("w1"))
    history.sees(resource())
    history.acts(decided)
    history.answers(decided, done("w1"))

    assert list(timeline(history.records)) == list(timeline(tuple(history.records)))
