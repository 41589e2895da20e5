"""What a webhook is asked, and what its answer means.

Pure. A question is a change that is about to happen, with the object before and after it. Words of
refusals are those of the API server. Read next: matching.py for who is asked.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from sandbox.access.users import User
from sandbox.errors import ApiError
from sandbox.kinds import Kind
from sandbox.objects import Object
from sandbox.state import shown

API = "admission.k8s.io/v1"
KIND = "AdmissionReview"
BAD_REQUEST = 400
OPTIONS = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE"]


class Question(Struct, frozen=True, kw_only=True):
    """One change that somebody wants to make."""

    uid: str
    operation: Operation
    kind: Kind
    version: str
    subresource: str
    namespace: str
    name: str
    user: User
    dry_run: bool
    new: Object | None
    old: Object | None


class NoAnswerError(Exception):
    """A webhook could not be asked, or what it said is no answer."""


def review(question: Question, version: str) -> Object:
    """Word a question for a webhook that wants to see objects in a version."""
    return {"kind": KIND, "apiVersion": API, "request": request(question, version)}


def request(question: Question, version: str) -> Object:
    """Tell everything about a question."""
    kind, asked = question.kind, question.version or question.kind.storage_version.name
    told: Object = {
        "uid": question.uid,
        "kind": {"group": kind.group, "version": version, "kind": kind.kind},
        "resource": {"group": kind.group, "version": version, "resource": kind.plural},
        "requestKind": {"group": kind.group, "version": asked, "kind": kind.kind},
        "requestResource": {"group": kind.group, "version": asked, "resource": kind.plural},
        "name": question.name,
        "namespace": question.namespace,
        "operation": question.operation,
        "userInfo": {"username": question.user.name, "groups": list(question.user.groups)},
        "object": _seen(question, version, question.new),
        "oldObject": _seen(question, version, question.old),
        "dryRun": question.dry_run,
        "options": {"kind": OPTIONS[question.operation], "apiVersion": "meta.k8s.io/v1"},
    }
    if question.subresource:
        sub = {"subResource": question.subresource, "requestSubResource": question.subresource}
        return {**told, **sub}
    return told


def verdict(hook: str, question: Question, said: object) -> tuple[str, ...]:
    """Return the warnings of a webhook that agrees; raises `ApiError` if it does not."""
    answer = said.get("response") if isinstance(said, Mapping) else None
    if not isinstance(said, Mapping) or not isinstance(answer, Mapping):
        raise NoAnswerError("Webhook response was absent")
    if said.get("kind") != KIND or said.get("apiVersion") != API:
        raise NoAnswerError(f"expected webhook response of {API}, Kind={KIND}")
    if answer.get("uid") != question.uid:
        raise NoAnswerError(
            f'expected response.uid="{question.uid}", got "{answer.get("uid", "")}"'
        )
    if not answer.get("allowed"):
        raise _denied(hook, answer.get("status") or {})
    return tuple(str(warning) for warning in answer.get("warnings") or ())


def failed(hook: str, because: str) -> ApiError:
    """Say that a webhook without which nothing goes could not be asked."""
    told = f'failed calling webhook "{hook}": failed to call webhook: {because}'
    return ApiError(
        500, "InternalError", f"Internal error occurred: {told}", {"causes": [{"message": told}]}
    )


def no_dry_runs(hook: str) -> ApiError:
    """Say that a webhook may do things when it is asked, and so is not asked for a dry run."""
    return ApiError.bad_request(f'admission webhook "{hook}" does not support dry run')


def _seen(question: Question, version: str, obj: Object | None) -> Object | None:
    if obj is None or question.subresource == "scale":
        return obj
    return shown(question.kind, version, obj)


def _denied(hook: str, status: Mapping[str, Any]) -> ApiError:
    told = f'admission webhook "{hook}" denied the request'
    why = status.get("message") or status.get("reason")
    message = f"{told}: {why}" if why else f"{told} without explanation"
    code = max(int(status.get("code") or 0), BAD_REQUEST)
    return ApiError(code, str(status.get("reason") or ""), message, status.get("details"))
