"""One story over deletions, recreations, and logs that have forgotten."""

from msgspec.structs import replace

from shared.actions.outcomes import Refused
from shared.events.approvals import HELD
from shared.events.lifecycle import EVENTS, LifeTold
from shared.events.objects import ObjectGone
from tests.support.builders import (
    FORMER_UID,
    KEY,
    UID,
    act,
    deletion,
    done,
    resource,
    with_status,
)
from tests.support.history import History


def gone_away(uid: str, version: int) -> ObjectGone:
    return ObjectGone(kind=KEY.kind, name=KEY.name, uid=uid, resource_version=version)


def told(history: History) -> list[tuple[str, int, str]]:
    return [
        (record.envelope.body.what, record.envelope.body.number, record.envelope.uid)
        for record in history.records
        if isinstance(record.envelope.body, LifeTold)
    ]


def test_a_deletion_is_told_once_with_the_last_state() -> None:
    history = History()
    history.sees(resource())
    history.announces()
    history.sees(gone_away(UID, 9))

    assert history.announces() == ["deleted"]
    assert history.announces() == []
    life = history.view().life
    assert life is not None
    assert life.body.data["state"] == {"phase": "provisioning"}
    assert life.uid == UID


def test_a_resource_that_is_only_not_seen_is_not_told_as_deleted() -> None:
    history = History()
    history.sees(resource())
    history.announces()
    lost = replace(history.view(), own=None, former=None)
    del history.records[0]

    assert lost.own is None
    assert history.announces() == []


def test_another_resource_of_the_same_name_goes_on_counting() -> None:
    history = History()
    history.sees(resource(uid=FORMER_UID))
    history.announces()
    history.sees(resource(version=20))
    history.announces()

    assert told(history) == [
        ("provisioning", 1, FORMER_UID),
        ("deleted", 2, FORMER_UID),
        ("provisioning", 3, UID),
    ]


def test_what_is_known_already_is_told_as_it_stands_where_the_log_has_forgotten() -> None:
    history = History()
    history.sees(with_status(resource(), {"state": "ready"}))

    assert history.announces() == ["snapshot"]
    assert history.announces() == []


def test_what_is_held_back_is_told_and_so_is_that_it_no_longer_is() -> None:
    history = History()
    history.sees(resource())
    history.announces()
    held = Refused(code=429, reason="DestructiveBudgetExceeded", message=f"{HELD}2 are the limit")
    asked = act(deletion("w1"))
    history.acts(asked)
    history.answers(asked, held)

    assert history.announces() == ["held"]
    assert history.announces() == []
    again = act(deletion("w1"), id_="act-2")
    history.acts(again)
    history.answers(again, done("w1", deleting=True))
    assert history.announces() == ["released"]


def test_every_event_is_in_the_catalogue() -> None:
    history = History()
    history.sees(resource())

    assert set(history.announces()) <= set(EVENTS["raycluster"])
