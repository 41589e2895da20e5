"""Actions and outcomes on the wire: small, tagged, and told apart by their tag alone."""

import msgspec
import pytest

from shared.actions.objects import Action, ConfirmObject, Notice, PostNotice, Words
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
from shared.events.codec import encode
from tests.support.builders import creation, deletion

WORDS = Words(reason="R", message="m")
ACTIONS: tuple[Action, ...] = (
    creation("w1"),
    msgspec.structs.replace(creation("w1"), notice=Notice(done=WORDS, refused=WORDS)),
    deletion("w1"),
    deletion("w1", version=7),
    ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen"),
    PostNotice(warning=False, reason="R", action="A", message="m", rule="r", because="b"),
)
OUTCOMES: tuple[Outcome, ...] = (
    Done(),
    Done(uid="u", resource_version=1, deleting=True),
    AlreadySo(uid="u", resource_version=1),
    Gone(resource_version=1),
    Refused(code=403, reason="Forbidden", message="no"),
    Occupied(uid="u", resource_version=1, message="taken"),
    Overtaken(because="news"),
    Unknown(error="timeout"),
)


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_comes_back_as_it_was(action: Action) -> None:
    assert msgspec.json.decode(encode(action), type=Action) == action


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_comes_back_as_it_was(outcome: Outcome) -> None:
    assert msgspec.json.decode(encode(outcome), type=Outcome) == outcome


def test_tags_are_the_words_of_the_glossary() -> None:
    tags = [msgspec.json.decode(encode(one))["type"] for one in (*ACTIONS[1:], *OUTCOMES[1:])]

    assert list(dict.fromkeys(tags)) == [
        "create",
        "delete",
        "confirm",
        "notice",
        "done",
        "already_so",
        "gone",
        "refused",
        "occupied",
        "overtaken",
        "unknown",
    ]


def test_defaults_cost_nothing_on_the_wire() -> None:
    assert encode(Done()) == b'{"type":"done"}'
    assert encode(deletion("w1")) == (
        b'{"type":"delete","kind":"pod","name":"w1","uid":"uid-of-w1",'
        b'"rule":"worker_groups","because":"one worker too many"}'
    )
