"""What was asked beside what is watched, and answered, in people's words. Pure."""

from typing import assert_never

from shared.events.told import (
    FOUND,
    MISSING,
    HealthTold,
    JobTold,
    Looked,
    ServeTold,
    Told,
)

_SILENT = "does not answer"


def answer_text(before: Told | None, now: Told) -> str:
    """Say what is new about an answer; empty where a person would notice nothing."""
    text = _words(now)
    return "" if before is not None and _words(before) == text else text


def _words(told: Told) -> str:
    match told:
        case JobTold():
            return _job(told)
        case Looked():
            return _looked(told)
        case ServeTold():
            return _serve(told)
        case HealthTold():
            state = "is well" if told.healthy else "is not well"
            return f"the Serve proxy of pod {told.pod} {_SILENT if told.silent else state}"
        case _:
            assert_never(told)


def _serve(told: ServeTold) -> str:
    if told.answer != FOUND:
        return f"Serve: nobody can tell ({told.failure})"
    if not told.applications:
        return "Serve runs nothing"
    listed = (f"{name} is {one.status}" for name, one in sorted(told.applications.items()))
    return f"Serve: {', '.join(listed)}"


def _job(told: JobTold) -> str:
    job = f"Ray job {told.job_id}" if told.job_id else "the Ray job"
    if told.answer == FOUND:
        more = f": {told.message}" if told.message else ""
        return f"{job} is {told.status}{more}"
    if told.answer == MISSING:
        return f"{job} is not known to Ray"
    return f"{job}: nobody can tell ({told.failure})"


def _looked(looked: Looked) -> str:
    names = ", ".join(one.meta.name for one in looked.objects)
    return f"{looked.kind} {names} is there" if names else f"there is no such {looked.kind}"
