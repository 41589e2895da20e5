"""Children that are lost as fast as they are made: the resource itself may be gone, unseen."""

from datetime import timedelta

import pytest

from shared.actions.objects import ConfirmObject, CreateObject
from shared.actions.outcomes import AlreadySo, Gone, Occupied, Outcome, Unknown
from shared.events.decisions import Decided
from shared.events.objects import ObjectGone
from tests.support.builders import HEAD_NAME, SERVICE_NAME, UID, done, head, resource, service
from tests.support.plot import Plot, names

ITSELF = ("confirm", "demo")
GOING = AlreadySo(uid=UID, resource_version=500, deleting=True)
OWN_GONE = ObjectGone(kind="raycluster", name="demo", uid=UID, resource_version=600)


def lost(plot: Plot, kind: str, name: str, version: int, lived: float | None) -> None:
    """An object of ours is gone, so many seconds after it was made."""
    made_at = plot.now - timedelta(seconds=lived) if lived is not None else None
    gone = ObjectGone(
        kind=kind,
        name=name,
        uid=f"uid-of-{name}",
        resource_version=version,
        created_at=made_at,
    )
    plot.sees(gone)


def running() -> Plot:
    """A cluster with service and head, and nothing left to do."""
    plot = Plot()
    plot.sees(resource(), service(), head())
    assert plot.left_alone()
    return plot


def answered(plot: Plot, act: Decided, outcome: Outcome) -> None:
    """The reading ends so, and what was to be made is made."""
    plot.answers(
        act,
        *(
            outcome if isinstance(action, ConfirmObject) else done(action.name, 400)
            for action in act.actions
            if isinstance(action, ConfirmObject | CreateObject)
        ),
    )


@pytest.mark.parametrize("lived", [60, None])
def test_what_lived_for_a_while_is_made_anew_and_nothing_is_read(lived: float | None) -> None:
    plot = running()
    lost(plot, "service", SERVICE_NAME, 300, lived)

    assert names(plot.decides()) == [("create", SERVICE_NAME)]


def test_what_is_lost_at_once_is_made_anew_at_once_and_the_resource_is_read() -> None:
    plot = running()
    lost(plot, "service", SERVICE_NAME, 300, 1)

    act = plot.commits()

    assert names(act) == [ITSELF, ("create", SERVICE_NAME)]
    assert act.because[0] == (f"service {SERVICE_NAME} was made a moment ago and is gone again")


@pytest.mark.parametrize(
    "outcome",
    [GOING, Gone(resource_version=500), Occupied(uid="other", resource_version=500, message="x")],
)
def test_once_it_is_found_going_nothing_is_made_until_that_is_seen(outcome: Outcome) -> None:
    plot = running()
    lost(plot, "service", SERVICE_NAME, 300, 1)
    act = plot.commits()
    answered(plot, act, outcome)
    lost(plot, "pod", HEAD_NAME, 450, 1)
    lost(plot, "service", SERVICE_NAME, 451, 1)

    assert plot.decides() is None
    plot.fires(act, "wake")
    assert [verb for verb, _ in names(plot.decides()) if verb == "create"] == []
    plot.sees(OWN_GONE)
    assert plot.commits().closing


@pytest.mark.parametrize(
    "outcome", [AlreadySo(uid=UID, resource_version=500), Unknown(error="no answer")]
)
def test_what_is_there_goes_on(outcome: Outcome) -> None:
    plot = running()
    lost(plot, "service", SERVICE_NAME, 300, 1)
    answered(plot, plot.commits(), outcome)
    lost(plot, "pod", HEAD_NAME, 450, 60)

    assert ("create", HEAD_NAME) in names(plot.decides())
