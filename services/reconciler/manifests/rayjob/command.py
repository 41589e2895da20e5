"""The line of shell that waits for Ray, submits a job and follows it.

Users read it in their pods and copy it, so it is KubeRay's token by token. Text that comes from
JSON is quoted as Go does; the entrypoint is not quoted at all, so that its shell operators act in
the submitter's shell.
"""

import json
from collections.abc import Iterator

from msgspec import Struct

from shared.resources.rayjob import RayJob
from shared.resources.runtime_env import read_runtime_env

_LETTERS = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LETTERS |= {"\v": r"\v", "\\": r"\\", '"': r"\""}
_BYTE, _PLANE = 0x80, 0x10000


class Submission(Struct, frozen=True, kw_only=True):
    """Where and under which id to submit, and whether a second start must find the first job."""

    address: str
    health: str
    job_id: str
    checks: bool


def submit_command(job: RayJob, submission: Submission) -> str:
    """Return the whole line."""
    return " ".join(_tokens(job, submission))


def _tokens(job: RayJob, submission: Submission) -> Iterator[str]:
    address = submission.address
    yield _wait(submission)
    if submission.checks:
        yield f"if ! ray job status --address {address} {submission.job_id} >/dev/null 2>&1 ; then"
    yield f"ray job submit --address {address}"
    if submission.checks:
        yield "--no-wait"
    yield from _options(job, submission.job_id)
    yield f"-- {(job.spec.entrypoint or '').strip()} ;"
    if submission.checks:
        yield f"fi ; ray job logs --address {address} --follow {submission.job_id}"


def _wait(submission: Submission) -> str:
    probe = (
        f"import urllib.request; r=urllib.request.urlopen('{submission.health}', timeout=10); "
        "exit(0 if b'success' in r.read() else 1)"
    )
    told = f"Waiting for Ray Dashboard GCS to become healthy at {submission.address} ..."
    return f'until python -c "{probe}" >/dev/null 2>&1 ; do echo "{told}" ; sleep 2 ; done ;'


def _options(job: RayJob, job_id: str) -> Iterator[str]:
    spec = job.spec
    if spec.runtime_env_yaml:
        yield f"--runtime-env-json {quoted(compact(runtime_env(spec.runtime_env_yaml)))}"
    if spec.metadata:
        yield f"--metadata-json {quoted(compact(dict(spec.metadata)))}"
    if job_id:
        yield f"--submission-id {job_id}"
    if (spec.entrypoint_num_cpus or 0) > 0:
        yield f"--entrypoint-num-cpus {spec.entrypoint_num_cpus:f}"
    if (spec.entrypoint_num_gpus or 0) > 0:
        yield f"--entrypoint-num-gpus {spec.entrypoint_num_gpus:f}"
    if spec.entrypoint_resources:
        yield f"--entrypoint-resources {quoted(spec.entrypoint_resources)}"


def runtime_env(text: str) -> dict[str, object]:
    """Read a runtime environment; validation has refused what is no mapping."""
    found = read_runtime_env(text)
    return {} if isinstance(found, str) else dict(found)


def compact(value: object) -> str:
    """Write JSON as Go does: compact, keys sorted, three letters escaped."""
    written = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    for letter, escaped in (("<", r"\u003c"), (">", r"\u003e"), ("&", r"\u0026")):
        written = written.replace(letter, escaped)
    return written


def quoted(text: str) -> str:
    """Quote as Go does: what prints stays, the rest is escaped."""
    return f'"{"".join(_letter(letter) for letter in text)}"'


def _letter(letter: str) -> str:
    if letter in _LETTERS:
        return _LETTERS[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    if code < _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < _PLANE else f"\\U{code:08x}"
