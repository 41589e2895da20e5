"""Refusals of the API server: a `metav1.Status` that can be raised.

Invariant: code, reason, details and message have the shape the real API server gives them, so that
clients which match on any of these behave the same. Field errors are `Cause` values; their
messages are made in `sandbox.schemas` and `sandbox.validation`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from msgspec import Struct


class Cause(Struct, frozen=True, kw_only=True):
    """One field that is wrong: its path, the reason's name, and what to tell the user."""

    field: str
    reason: str
    message: str

    def sentence(self) -> str:
        """Return the cause as it stands in the message of the whole error."""
        return f"{self.field}: {self.message}" if self.field else self.message


class AnswerLostError(ConnectionError):
    """The request was carried out, but its answer never reached the client (an injected fault)."""


class ApiError(Exception):
    """A request was refused; `status` is what the client gets to see."""

    def __init__(
        self, code: int, reason: str, message: str, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.plain = ""
        self.warnings: tuple[str, ...] = ()
        self.status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            **({"reason": reason} if reason else {}),
            **({"details": details} if details is not None else {}),
            "code": code,
        }

    @classmethod
    def not_found(cls, plural: str, name: str, group: str = "") -> Self:
        """Say that there is no object of that name."""
        message = f'{qualified(plural, group)} "{name}" not found'
        return cls(404, "NotFound", message, _details(plural, name, group))

    @classmethod
    def unknown_resource(cls) -> Self:
        """Say that no kind is served under that path."""
        return cls(404, "NotFound", "the server could not find the requested resource", {})

    @classmethod
    def unknown_path(cls) -> Self:
        """Say that nothing at all is served under that path: an answer that is no Status."""
        error = cls.unknown_resource()
        error.plain = "404 page not found\n"
        return error

    @classmethod
    def already_exists(
        cls, plural: str, name: str, group: str = "", *, dying: bool = False
    ) -> Self:
        """Say that the name is taken, perhaps by one that is on its way out."""
        message = f'{qualified(plural, group)} "{name}" already exists'
        told = f"object is being deleted: {message}" if dying else message
        return cls(409, "AlreadyExists", told, _details(plural, name, group))

    @classmethod
    def conflict(cls, plural: str, name: str, because: str = "", *, group: str = "") -> Self:
        """Say that the object is not what the client thought it was."""
        why = because or (
            "the object has been modified; please apply your changes to the latest version "
            "and try again"
        )
        message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {why}'
        return cls(409, "Conflict", message, _details(plural, name, group))

    @classmethod
    def invalid(cls, kind: str, name: str, causes: Sequence[Cause], *, group: str = "") -> Self:
        """Say which rules of its kind the object breaks."""
        sentences = list(dict.fromkeys(cause.sentence() for cause in causes))
        said = sentences[0] if len(sentences) == 1 else f"[{', '.join(sentences)}]"
        details = _details(kind, name, group)
        details["causes"] = [
            {"reason": cause.reason, "message": cause.message, "field": cause.field}
            for cause in causes
        ]
        return cls(422, "Invalid", f'{qualified(kind, group)} "{name}" is invalid: {said}', details)

    @classmethod
    def bad_options(cls, kind: str, cause: Cause) -> Self:
        """Say which option of a request makes no sense; `kind` is that of the options."""
        return cls.invalid(kind, "", [cause], group="meta.k8s.io")

    @classmethod
    def bad_request(cls, message: str) -> Self:
        """Say that the request cannot be understood."""
        return cls(400, "BadRequest", message)

    @classmethod
    def unauthorized(cls) -> Self:
        """Say that the credentials are missing or wrong."""
        return cls(401, "Unauthorized", "Unauthorized")

    @classmethod
    def forbidden(cls, plural: str, name: str, because: str, *, group: str = "") -> Self:
        """Say that the request is understood and not allowed."""
        message = f'{qualified(plural, group)} "{name}" is forbidden: {because}'
        return cls(403, "Forbidden", message, _details(plural, name, group))

    @classmethod
    def unsupported_verb(cls, verb: str, plural: str, group: str) -> Self:
        """Say that a subresource does not offer this verb."""
        message = f'{verb} is not supported on resources of kind "{qualified(plural, group)}"'
        return cls(405, "MethodNotAllowed", message, _details(plural, "", group))

    @classmethod
    def method_not_allowed(cls) -> Self:
        """Say that the kind does not offer this verb."""
        message = "the server does not allow this method on the requested resource"
        return cls(405, "MethodNotAllowed", message, {})

    @classmethod
    def unsupported_media_type(cls, accepted: Sequence[str]) -> Self:
        """Say that the body's content type is not one of `accepted`."""
        message = (
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(accepted)
        )
        return cls(415, "UnsupportedMediaType", message)

    @classmethod
    def expired(
        cls, message: str = "The resourceVersion for the provided list is too old."
    ) -> Self:
        """Say that the past a list asks for is no longer remembered."""
        return cls(410, "Expired", message)

    @classmethod
    def gone(cls, asked: int, oldest: int) -> Self:
        """Say that the past a watch asks for is no longer remembered."""
        return cls(410, "Expired", f"too old resource version: {asked} ({oldest})")

    @classmethod
    def too_large(cls, asked: int, current: int) -> Self:
        """Say that the asked-for revision has not happened yet."""
        cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
        return cls(
            504,
            "Timeout",
            f"Timeout: Too large resource version: {asked}, current: {current}",
            {"causes": [cause], "retryAfterSeconds": 1},
        )

    @classmethod
    def too_many_requests(cls, retry_after_seconds: int = 1) -> Self:
        """Ask the client to come back later; whoever guards the door says so without a Status."""
        error = cls(
            429,
            "TooManyRequests",
            "the server has received too many requests and has asked us to try again later",
            {"retryAfterSeconds": retry_after_seconds},
        )
        error.plain = "Too many requests, please try again later.\n"
        return error

    @classmethod
    def internal(cls, because: str) -> Self:
        """Say that the server itself failed."""
        return cls(
            500,
            "InternalError",
            f"Internal error occurred: {because}",
            {"causes": [{"message": because}]},
        )


@contextmanager
def warned_of(warnings: Sequence[str]) -> Iterator[None]:
    """Let a refusal carry the warnings that were collected before it."""
    try:
        yield
    except ApiError as error:
        error.warnings = tuple(warnings)
        raise


def qualified(plural: str, group: str) -> str:
    """Return the name of a resource or kind with its group, as messages show it."""
    return f"{plural}.{group}" if group else plural


def _details(kind: str, name: str, group: str) -> dict[str, Any]:
    pairs = {"name": name, "group": group, "kind": kind}
    return {key: value for key, value in pairs.items() if value}
