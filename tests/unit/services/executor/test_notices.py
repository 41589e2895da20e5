"""What people are told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.executor.notices import NOTE_MAX, clipped, event_manifest, notice_of
from shared.actions.objects import Action, ConfirmObject, Notice, PostNotice, Words
from shared.actions.outcomes import (
    UNAVAILABLE,
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Overtaken,
    Refused,
    Unknown,
)
from tests.support.builders import KEY, NOON, QUOTA, UID, creation, deletion

WORDS = Notice(
    done=Words(reason="CreatedWorkerPod", message="Created worker pod prod/w1"),
    refused=Words(reason="FailedToCreateWorkerPod", message="Failed to create: "),
)
CREATE = replace(creation("w1"), notice=WORDS)
DELETE = replace(deletion("w1"), notice=WORDS)
TOLD = PostNotice(
    warning=False,
    reason="CreatedWorkerPod",
    action="Create",
    message="Created worker pod prod/w1",
    rule="worker_groups",
    because="a worker is missing",
)


def test_tells_what_was_done() -> None:
    assert notice_of(CREATE, Done(uid="u", resource_version=3)) == TOLD
    assert notice_of(DELETE, Done(uid="u", resource_version=3)) == replace(
        TOLD, action="Delete", because="one worker too many"
    )


def test_a_name_that_is_somebody_elses_may_have_words_of_its_own() -> None:
    words = Words(reason="FailedToCreateIngress", message="it is not ours")
    taken = replace(CREATE, notice=replace(WORDS, taken=words))
    told = notice_of(taken, Occupied(uid="u", resource_version=3, message="it is taken"))

    assert told == replace(
        TOLD, warning=True, reason="FailedToCreateIngress", message="it is not ours"
    )
    assert notice_of(taken, QUOTA) == notice_of(CREATE, QUOTA)


def test_words_without_a_reason_are_not_told() -> None:
    quiet = replace(CREATE, notice=replace(WORDS, done=Words(reason="", message="")))

    assert notice_of(quiet, Done(uid="u", resource_version=3)) is None
    assert notice_of(quiet, QUOTA) is not None


def test_tells_what_was_refused_in_the_api_servers_own_words() -> None:
    """Checklist 96."""
    refused = replace(TOLD, warning=True, reason="FailedToCreateWorkerPod")

    assert notice_of(CREATE, QUOTA) == replace(
        refused, message="Failed to create: exceeded quota: pods=4"
    )
    assert notice_of(
        CREATE, Occupied(uid="u", resource_version=3, message="it is taken")
    ) == replace(refused, message="Failed to create: it is taken")


def test_an_api_server_that_is_not_there_is_not_told_at_every_try() -> None:
    away = Refused(code=0, reason=UNAVAILABLE, message="no answer from kubernetes: refused")
    full = replace(away, code=403, reason="Forbidden")

    assert notice_of(CREATE, away) is None
    assert notice_of(CREATE, full) is not None, "its reason counts, not its words"


@pytest.mark.parametrize(
    ("action", "outcome"),
    [
        (CREATE, AlreadySo(uid="u", resource_version=3)),
        (CREATE, Overtaken(because="its spec was changed")),
        (CREATE, Unknown(error="no answer")),
        (DELETE, Gone(resource_version=3)),
        (creation("w1"), Done()),
        (ConfirmObject(kind="pod", name="w1", rule="r", because="b"), Done()),
        (TOLD, Done()),
    ],
)
def test_keeps_quiet_about_the_rest(action: Action, outcome: Outcome) -> None:
    assert notice_of(action, outcome) is None


def test_an_event_names_the_resource_and_says_who_reports() -> None:
    event = event_manifest(KEY, UID, replace(TOLD, warning=True), "act-1", NOON)
    name = event["metadata"]

    assert isinstance(name, dict)
    assert name.pop("name").startswith("demo.")
    assert event == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "prod"},
        "eventTime": "2030-01-01T12:00:00.000000Z",
        "type": "Warning",
        "reason": "CreatedWorkerPod",
        "action": "Create",
        "note": "Created worker pod prod/w1",
        "regarding": {
            "apiVersion": "ray.io/v1",
            "kind": "RayCluster",
            "namespace": "prod",
            "name": "demo",
            "uid": UID,
        },
        "reportingController": "raycluster-controller",
        "reportingInstance": "heliograph",
    }


def test_the_same_words_of_the_same_act_have_the_same_name() -> None:
    def name(notice: PostNotice, act: str) -> object:
        return event_manifest(KEY, UID, notice, act, NOON)["metadata"]

    assert name(TOLD, "act-1") == name(TOLD, "act-1")
    assert name(TOLD, "act-1") != name(TOLD, "act-2")
    assert name(TOLD, "act-1") != name(replace(TOLD, message="other"), "act-1")


@given(st.text(max_size=3000))
def test_a_note_fits_and_begins_as_it_was_said(message: str) -> None:
    note = clipped(message)

    assert len(note.encode()) <= NOTE_MAX
    assert note == message or (note.endswith("...") and message.startswith(note[:-3]))


def test_a_long_note_is_cut_between_letters() -> None:
    assert clipped("ä" * 600) == "ä" * 510 + "..."
