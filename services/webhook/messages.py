"""What the API server asks and is told: `AdmissionReview` of `admission.k8s.io/v1`.

Pure. A request that is not one of ours raises ValueError with a sentence; the API server then does
what the failure policy says, which is right for a webhook that was configured wrongly.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from shared.resources.problem import Problem

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"
GROUP = "ray.io"
KINDS: Mapping[str, str] = MappingProxyType(
    {kind.lower(): kind for kind in ("RayCluster", "RayJob", "RayService", "RayCronJob")}
)
PATHS: Mapping[str, str] = MappingProxyType(
    {f"/validate-ray-io-v1-{word}": kind for word, kind in KINDS.items()}
)
"""Where each kind is judged; the paths are KubeRay's."""
CAUSES_MAX = 50
WARNING_MAX = 256
"""The API server cuts warnings that are longer."""


class GroupKind(Struct, frozen=True):
    """The kind of the object in question."""

    group: str = ""
    version: str = ""
    kind: str = ""


class Request(Struct, frozen=True, kw_only=True, rename="camel"):
    """What somebody wants to write, and what was there before."""

    uid: str
    kind: GroupKind
    operation: str
    name: str = ""
    namespace: str = ""
    sub_resource: str = ""
    object: dict[str, Any] | None = None
    old_object: dict[str, Any] | None = None


class _Review(Struct, frozen=True, kw_only=True, rename="camel"):
    api_version: str
    kind: str
    request: Request


class Verdict(Struct, frozen=True, kw_only=True):
    """Refused if there are problems; warnings are shown in any case."""

    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the object may be stored."""
        return not self.problems


def read_request(body: bytes, kind: str) -> Request:
    """Read a review of an object of the kind."""
    try:
        review = msgspec.json.decode(body, type=_Review)
    except msgspec.DecodeError as error:
        raise ValueError(f"this is no {KIND}: {error}") from None
    if (review.api_version, review.kind) != (API_VERSION, KIND):
        raise ValueError(
            f"this is {review.api_version} {review.kind}; {API_VERSION} {KIND} is understood"
        )
    asked = review.request.kind
    if (asked.group, asked.kind) != (GROUP, kind):
        raise ValueError(f"{asked.group}/{asked.kind} is not judged here: this is for {kind}")
    return review.request


def write_answer(request: Request, verdict: Verdict) -> bytes:
    """Write the review that answers the request."""
    response: dict[str, object] = {"uid": request.uid, "allowed": verdict.allowed}
    if not verdict.allowed:
        response["status"] = _status(request, verdict.problems)
    if verdict.warnings:
        response["warnings"] = [_cut(warning) for warning in verdict.warnings]
    return msgspec.json.encode({"apiVersion": API_VERSION, "kind": KIND, "response": response})


def name_of(request: Request) -> str:
    """Return the name of the object, which a request may leave to the object itself."""
    metadata = (request.object or {}).get("metadata")
    own = metadata.get("name") if isinstance(metadata, dict) else None
    return request.name or (own if isinstance(own, str) else "")


def _status(request: Request, problems: tuple[Problem, ...]) -> dict[str, object]:
    name, kind = name_of(request), request.kind.kind
    told = [str(problem) for problem in problems[:CAUSES_MAX]]
    if len(problems) > CAUSES_MAX:
        told.append(f"and {len(problems) - CAUSES_MAX} more")
    listed = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
    return {
        "status": "Failure",
        "code": 422,
        "reason": "Invalid",
        "message": f'{kind}.{GROUP} "{name}" is invalid: {listed}',
        "details": {
            "name": name,
            "group": GROUP,
            "kind": kind,
            "causes": [_cause(problem) for problem in problems[:CAUSES_MAX]],
        },
    }


def _cause(problem: Problem) -> dict[str, str]:
    required = problem.message.startswith("is required")
    return {
        "reason": "FieldValueRequired" if required else "FieldValueInvalid",
        "message": f"{problem.message} ({problem.hint})" if problem.hint else problem.message,
        "field": problem.path,
    }


def _cut(warning: str) -> str:
    return warning if len(warning) <= WARNING_MAX else f"{warning[: WARNING_MAX - 3]}..."
