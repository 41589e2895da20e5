"""What an installation that only looks on knows of its own wishes.

Nothing of its acts is done, so a wish stands in the last act until another act replaces it. Most of
what another operator does about it is seen by watching. What nobody watches has to be looked at.
"""

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import Action, ConfigureServe, CreateObject, PatchObject
from shared.actions.outcomes import Outcome, Overtaken
from shared.aggregates.expectations import UNOBSERVED
from shared.aggregates.view import View
from shared.events.modes import NOT_DONE


def left_undone(outcome: Outcome) -> bool:
    """Whether an action was left undone only because nothing is done here."""
    return isinstance(outcome, Overtaken) and outcome.because == NOT_DONE


def wishes_stand(view: View) -> bool:
    """Whether the last act is a shadow's, and something that it asks for was not found done."""
    return view.answer is not None and any(map(left_undone, view.answer.outcomes))


def out_of_sight(action: Action) -> bool:
    """Whether nobody watches what an action is about, so that only a look tells if it is so."""
    match action:
        case CreateObject():
            return action.kind in UNOBSERVED
        case PatchObject():
            return bool(action.owner)
        case SubmitJob() | StopJob() | ConfigureServe():
            return True
        case _:
            return False
