"""What was decided and what came of it, in people's words. Pure."""

from typing import assert_never

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
    RayAction,
)
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
from shared.events.decisions import Decided


def wishes_of(act: Decided) -> str:
    """Say what an act asks for."""
    if not act.actions:
        return "to close its books" if act.closing else "to wait"
    counts: dict[str, int] = {}
    for action in act.actions:
        words = wish_words(action)
        counts[words] = counts.get(words, 0) + 1
    return ", ".join(
        f"{words} ({count})" if count > 1 else words for words, count in counts.items()
    )


def wish_words(action: Action) -> str:
    """Say what an action asks for; pods of a group are told by their group."""
    match action:
        case CreateObject():
            thing = f"of group {action.group}" if action.group else action.name
            return f"create {action.kind} {thing}"
        case PatchObject():
            return f"change {action.kind} {action.name}"
        case DeleteObject():
            return f"delete {action.kind} {action.name}"
        case ConfirmObject():
            return f"look again for {action.kind} {action.name}"
        case PostNotice():
            return f"tell people: {action.reason}"
        case SubmitJob() | StopJob() | ConfigureServe():
            return _errand(action)
        case _:
            assert_never(action)


def _errand(action: RayAction) -> str:
    if isinstance(action, ConfigureServe):
        return f"tell Serve on {action.cluster} what to run"
    verb = "submit" if isinstance(action, SubmitJob) else "stop"
    return f"{verb} Ray job {action.job_id}"


def deed_words(action: Action) -> str:
    """Say which very thing was asked for."""
    if isinstance(action, CreateObject):
        return f"create {action.kind} {action.name}"
    return wish_words(action)


def came_of(outcome: Outcome) -> str:
    """Say what came of an action, as it stands after it; nothing if it simply was done."""
    match outcome:
        case Done() | AlreadySo() | Gone():
            return _WENT_WELL[type(outcome)]
        case Refused():
            return f": refused: {outcome.message}"
        case Occupied():
            return f": the name is taken: {outcome.message}"
        case Overtaken():
            return f": not done, {outcome.because}"
        case Unknown():
            return f": no answer: {outcome.error}"
        case _:
            assert_never(outcome)


_WENT_WELL = {Done: "", AlreadySo: ": it was so already", Gone: ": it is gone"}
