"""What a dashboard's answer means: a value, or a failure of some class. No network here.

Ray says what is wrong in plain text, often a traceback under an unhelpful code, so the code alone
tells little: a job that is submitted twice is a 500. Through the API server there are two who may
answer, and its own words (a Kubernetes status) are never taken for the dashboard's: a service that
is missing is not a job that is unknown.
"""

from typing import TypeVar

import msgspec

from shared.ports.dashboard import DashboardFailed, Failure

SENTENCE_MAX = 1000
BODY_MAX = 8 * 1024 * 1024
"""No answer that we ask for is larger; messages of jobs are cut by Ray itself."""

_UNKNOWN_JOB = "does not exist"
_TAKEN = "Please use a different submission_id"
_CLASSES = {401: Failure.UNAUTHORIZED, 403: Failure.UNAUTHORIZED, 404: Failure.NOT_FOUND}
_PASSING = frozenset({408, 429})
_CLIENT_ERRORS = range(400, 500)
_SERVER_ERRORS = range(500, 600)
_SUCCESSES = range(200, 300)

T = TypeVar("T")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back from the address of a dashboard."""

    status: int
    body: bytes

    @property
    def text(self) -> str:
        """The body as people read it."""
        return self.body.decode("utf-8", "replace")


class _Status(msgspec.Struct, frozen=True):
    """The API server's own words."""

    kind: str = ""
    message: str | None = None


class Stopped(msgspec.Struct, frozen=True):
    """The answer to a stop."""

    stopped: bool


class Deleted(msgspec.Struct, frozen=True):
    """The answer to a deletion."""

    deleted: bool


class Submitted(msgspec.Struct, frozen=True):
    """The answer to a submission; older versions of Ray name the id `job_id` only."""

    job_id: str | None = None
    submission_id: str | None = None


def accept(answer: Answer) -> Answer:
    """Return a successful answer; raise `DashboardFailed` for any other."""
    if answer.status not in _SUCCESSES:
        raise meaning_of(answer)
    return answer


def read(answer: Answer, shape: type[T]) -> T:
    """Read a successful answer; what no dashboard says is garbage."""
    try:
        return msgspec.json.decode(accept(answer).body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        told = f"the dashboard answered what cannot be read: {_short(str(problem))}"
        raise DashboardFailed(Failure.GARBAGE, told, status=answer.status) from None


def unknown_job(answer: Answer) -> bool:
    """Say whether the dashboard itself, and nobody on the way, does not know the job."""
    missing = _CLASSES.get(answer.status) is Failure.NOT_FOUND
    return missing and _kubernetes(answer) is None and _UNKNOWN_JOB in answer.text


def meaning_of(answer: Answer) -> DashboardFailed:
    """Return what an unsuccessful answer means."""
    on_the_way = _kubernetes(answer)
    if on_the_way is not None:
        told = f"the API server answered {answer.status}: {_short(on_the_way)}"
        denied = _CLASSES.get(answer.status) is Failure.UNAUTHORIZED
        failure = Failure.UNAUTHORIZED if denied else Failure.UNREACHABLE
        return DashboardFailed(failure, told, status=answer.status)
    told = f"the dashboard answered {answer.status}: {_gist(answer.text)}"
    return DashboardFailed(_class_of(answer), told, status=answer.status)


def _class_of(answer: Answer) -> Failure:
    if answer.status in _CLASSES:
        return _CLASSES[answer.status]
    if answer.status in _SERVER_ERRORS and _TAKEN in answer.text:
        return Failure.TAKEN
    if answer.status in _CLIENT_ERRORS and answer.status not in _PASSING:
        return Failure.REFUSED
    of_server = answer.status in _SERVER_ERRORS or answer.status in _PASSING
    return Failure.SERVER_ERROR if of_server else Failure.GARBAGE


def _kubernetes(answer: Answer) -> str | None:
    """Return the API server's sentence; None if it is not the one who answered."""
    try:
        found = msgspec.json.decode(answer.body, type=_Status)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return (found.message or "") if found.kind == "Status" else None


def _gist(text: str) -> str:
    """Return what a traceback ends with, or a text as it is."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" .\t")]
    if lines and lines[0].startswith("Traceback"):
        return _short(lines[-1])
    return _short(" ".join(lines))


def _short(text: str) -> str:
    return text if len(text) <= SENTENCE_MAX else f"{text[: SENTENCE_MAX - 3]}..."
