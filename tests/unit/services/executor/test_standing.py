"""Whether an act still stands."""

import pytest
from msgspec.structs import replace

from services.executor.standing import OvertakenBy, Standing, Stands, Superseded, standing
from shared.events import subjects
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, ResourceSeen
from tests.support.builders import (
    FORMER_UID,
    KEY,
    UID,
    act,
    being_deleted,
    creation,
    resource,
    resumed,
    suspending,
    with_status,
)
from tests.support.history import History


def begun() -> History:
    """A resource with one act."""
    history = History()
    history.sees(resource(version=5))
    history.acts(act(creation("w1")))
    return history


def last(history: History, subject: str) -> Record | None:
    return next((one for one in reversed(history.records) if one.subject == subject), None)


def standing_of(history: History) -> Standing:
    return standing(
        history.records[1],
        last(history, subjects.act(KEY)),
        last(history, subjects.own(KEY)),
        last(history, subjects.status(KEY)),
    )


def test_the_last_act_stands_while_nothing_is_newer() -> None:
    assert standing_of(begun()) == Stands()


def test_a_newer_act_supersedes_it() -> None:
    history = begun()
    history.acts(act(id_="act-2"))

    assert standing_of(history) == Superseded()


def test_an_act_that_the_log_has_lost_is_superseded() -> None:
    asked, own = begun().records[1], begun().records[0]

    assert standing(asked, None, own, None) == Superseded()


def test_what_is_no_act_has_no_standing() -> None:
    own = begun().records[0]

    assert standing(own, own, own, None) == Superseded()


@pytest.mark.parametrize(
    ("news", "because"),
    [
        (resource(generation=2, version=6), "its spec was changed"),
        (being_deleted(resource(version=6)), "the resource is being deleted"),
        (resource(version=6, uid=FORMER_UID), "another resource has its name now"),
        (
            ObjectGone(kind="raycluster", name="demo", uid=UID, resource_version=6),
            "the resource is gone",
        ),
        (with_status(resource(version=6), suspending(2)), "its phase has changed"),
    ],
)
def test_newer_news_overtake_it(news: ResourceSeen | ObjectGone, because: str) -> None:
    history = begun()
    history.sees(news)

    assert standing_of(history) == OvertakenBy(because=because)


def test_a_resource_that_was_never_seen_counts_as_gone() -> None:
    asked = begun().records[1]

    assert standing(asked, asked, None, None) == OvertakenBy(because="the resource is gone")


def test_a_written_status_that_is_newer_tells_the_phase() -> None:
    history = begun()
    history.writes_status(suspending(2), version=6)

    assert standing_of(history) == OvertakenBy(because="its phase has changed")


def test_a_written_status_that_was_seen_since_no_longer_counts() -> None:
    history = begun()
    history.writes_status(suspending(2), version=6)
    history.sees(with_status(resource(version=7), resumed(0)))

    assert standing_of(history) == Stands()


def test_a_status_of_another_uid_does_not_count() -> None:
    history = begun()
    history.writes_status(suspending(2), version=6)
    written = history.records[-1]
    history.records[-1] = replace(written, envelope=replace(written.envelope, uid=FORMER_UID))

    assert standing_of(history) == Stands()


def test_an_older_generation_than_the_act_saw_overtakes_nothing() -> None:
    history = History()
    history.sees(resource(generation=1, version=5))
    history.acts(act(creation("w1"), generation=2))

    assert standing_of(history) == Stands()
