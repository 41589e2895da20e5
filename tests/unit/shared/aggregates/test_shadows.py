"""What an installation that only looks on knows of its wishes."""

import pytest
from msgspec.structs import replace

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import Action, ConfigureServe, ConfirmObject, PatchObject
from shared.actions.outcomes import AlreadySo, Outcome, Overtaken
from shared.aggregates.shadows import left_undone, out_of_sight, wishes_stand
from shared.events.modes import NOT_DONE
from tests.support.builders import act, creation, deletion, resource
from tests.support.history import History

PATCH = PatchObject(kind="pod", name="a", uid="u", patch={}, rule="r", because="b")
SUBMIT = SubmitJob(job_id="j", address="a", service="s", rule="r", because="b")
STOP = StopJob(job_id="j", address="a", service="s", rule="r", because="b")
SERVE = ConfigureServe(cluster="c", digest="d", address="a", service="s", rule="r", because="b")
CONFIRM = ConfirmObject(kind="pod", name="a", rule="r", because="b")
SO = AlreadySo(uid="u", resource_version=1)


@pytest.mark.parametrize(
    ("action", "unseen"),
    [
        (creation("a"), False),
        (replace(creation("a"), kind="secret"), True),
        (deletion("a"), False),
        (PATCH, False),
        (replace(PATCH, owner="cluster"), True),
        (SUBMIT, True),
        (STOP, True),
        (SERVE, True),
        (CONFIRM, False),
    ],
)
def test_some_things_nobody_watches(action: Action, *, unseen: bool) -> None:
    assert out_of_sight(action) is unseen


@pytest.mark.parametrize(
    ("outcomes", "stand"),
    [
        ((Overtaken(because=NOT_DONE), SO), True),
        ((Overtaken(because="its time is over"), SO), False),
        ((SO, SO), False),
    ],
)
def test_wishes_stand_while_one_was_left_undone(
    outcomes: tuple[Outcome, ...], *, stand: bool
) -> None:
    history = History()
    history.sees(resource())
    asked = act(creation("a"), creation("b"))
    history.acts(asked)
    assert not wishes_stand(history.view())

    history.answers(asked, *outcomes)

    assert wishes_stand(history.view()) is stand
    assert any(map(left_undone, outcomes)) is stand
