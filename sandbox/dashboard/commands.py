"""What a submitter's command line says, read from the container that runs it. Pure.

Two kinds are known: a shell that runs `ray job submit` (perhaps after `ray job status`, perhaps
followed by `ray job logs --follow`), and the small program `/submitter`, which reads its
environment. Anything else is no submitter. Read next: submitters.py.
"""

from collections.abc import Mapping, Sequence
from shlex import join, split
from typing import Any

import msgspec

from sandbox.objects import Object, rows

SUBMIT = ("ray", "job", "submit")
STATUS = ("ray", "job", "status")
LOGS = ("ray", "job", "logs")
ENDS = frozenset((";", "&&", "||", "|", "&", "fi", "then"))
JSON_FLAGS: Mapping[str, str] = {
    "--runtime-env-json": "runtime_env",
    "--metadata-json": "metadata",
    "--entrypoint-resources": "entrypoint_resources",
}
NUMBER_FLAGS: Mapping[str, str] = {
    "--entrypoint-num-cpus": "entrypoint_num_cpus",
    "--entrypoint-num-gpus": "entrypoint_num_gpus",
    "--entrypoint-memory": "entrypoint_memory",
}
ID_FLAGS = frozenset(("--submission-id", "--job-id"))


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """What a submitter is going to do.

    `waits_for_health`: asks until the head is well; `asks_first`: leaves a job alone that is there
    already; `fails_with_job`: ends with 1 if the job fails, as `ray job submit` does and `ray job
    logs` does not. `broken` says why it cannot even begin.
    """

    container: str
    address: str
    job: Mapping[str, Any]
    waits_for_health: bool = False
    asks_first: bool = False
    follows: bool = True
    fails_with_job: bool = False
    takes_over: bool = False
    broken: str = ""

    @property
    def submission_id(self) -> str:
        """The id it asks for; empty if the dashboard shall make one."""
        return str(self.job.get("submission_id") or "")


def submissions(pod: Object, env: Mapping[str, Mapping[str, str]]) -> list[Submission]:
    """Read every submitter of a pod; `env` are the variables of its containers, by name."""
    found = (
        _read(container, env.get(str(container.get("name")), {}))
        for container in rows(pod, "spec.containers")
    )
    return [each for each in found if each is not None]


def may_submit(pod: Object) -> bool:
    """Tell at a glance whether a pod could hold a submitter."""
    return any(
        "ray job submit" in " ".join(_words(container)) or _is_small_program(_words(container))
        for container in rows(pod, "spec.containers")
    )


def _read(container: Object, env: Mapping[str, str]) -> Submission | None:
    words = _words(container)
    if _is_small_program(words):
        return _small_program(container, words[1:], env)
    text = next((word for word in words if " ".join(SUBMIT) in word), None)
    if text is None:
        direct = _segment(words, SUBMIT)
        return None if direct is None else _shell(container, words, env, health=False)
    try:
        return _shell(container, split(text), env, health="gcs_healthz" in text)
    except ValueError as error:
        name = str(container.get("name"))
        return Submission(container=name, address="", job={}, broken=f"bash: {error}")


def _shell(
    container: Object, words: Sequence[str], env: Mapping[str, str], *, health: bool
) -> Submission:
    said = _segment(words, SUBMIT) or []
    flags, entrypoint = _flags(said)
    follows_logs = _segment(words, LOGS) is not None
    waits = "--no-wait" not in flags
    job, broken = _job(flags)
    return Submission(
        container=str(container.get("name")),
        address=flags.get("--address") or _address(env),
        job={"entrypoint": join(entrypoint), **job},
        waits_for_health=health,
        asks_first=_segment(words, STATUS) is not None,
        follows=waits or follows_logs,
        fails_with_job=waits and not follows_logs,
        broken=broken,
    )


def _small_program(container: Object, words: Sequence[str], env: Mapping[str, str]) -> Submission:
    flags, entrypoint = _flags(words)
    job, broken = _job(flags)
    name = env.get("RAY_JOB_SUBMISSION_ID", "")
    return Submission(
        container=str(container.get("name")),
        address=_address(env),
        job={"entrypoint": join(entrypoint), **job, **({"submission_id": name} if name else {})},
        takes_over=True,
        broken=broken,
    )


def _words(container: Object) -> list[str]:
    return [str(word) for field in ("command", "args") for word in container.get(field) or ()]


def _is_small_program(words: Sequence[str]) -> bool:
    return bool(words) and words[0].rpartition("/")[2] == "submitter"


def _segment(words: Sequence[str], command: Sequence[str]) -> list[str] | None:
    """Return the words after a command, up to the end of that command."""
    size = len(command)
    for start in range(len(words) - size + 1):
        if tuple(words[start : start + size]) == tuple(command):
            rest = words[start + size :]
            ends = (index for index, word in enumerate(rest) if word in ENDS)
            return list(rest[: next(ends, len(rest))])
    return None


def _flags(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Part flags from the entrypoint: it begins after `--`, or at the first word that is none."""
    flags: dict[str, str] = {}
    left = list(words)
    while left and left[0].startswith("--"):
        word = left.pop(0)
        if word == "--":
            break
        name, equals, value = word.partition("=")
        takes_one = name not in {"--no-wait", "--verbose"}
        flags[name] = value if equals else (left.pop(0) if takes_one and left else "")
    return flags, left


def _job(flags: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """Return what the flags say about the job, and what cannot be read."""
    job: dict[str, Any] = {}
    try:
        for flag, value in flags.items():
            if flag in ID_FLAGS:
                job["submission_id"] = value
            elif flag in JSON_FLAGS:
                job[JSON_FLAGS[flag]] = msgspec.json.decode(value)
            elif flag in NUMBER_FLAGS:
                job[NUMBER_FLAGS[flag]] = float(value)
    except (msgspec.DecodeError, ValueError) as error:
        return job, f"ValueError: {error}"
    return job, ""


def _address(env: Mapping[str, str]) -> str:
    return env.get("RAY_DASHBOARD_ADDRESS") or env.get("RAY_ADDRESS") or ""
