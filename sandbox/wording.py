"""How field errors are worded, for built-in kinds and metadata alike."""

from sandbox.errors import Cause
from sandbox.schemas.wording import spelled


def invalid(field: str, value: object, detail: str) -> Cause:
    """Say that a field's value is wrong."""
    said = f"Invalid value: {spelled(value)}: {detail}"
    return Cause(field=field, reason="FieldValueInvalid", message=said)


def required(field: str, detail: str = "") -> Cause:
    """Say that a field is missing."""
    said = f"Required value: {detail}" if detail else "Required value"
    return Cause(field=field, reason="FieldValueRequired", message=said)


def forbidden(field: str, detail: str) -> Cause:
    """Say that a field may not be what it is."""
    return Cause(field=field, reason="FieldValueForbidden", message=f"Forbidden: {detail}")


def unsupported(field: str, value: object, options: tuple[str, ...]) -> Cause:
    """Say that a field's value is none of those that are known."""
    listed = ", ".join(spelled(option) for option in sorted(options))
    said = f"Unsupported value: {spelled(value)}: supported values: {listed}"
    return Cause(field=field, reason="FieldValueNotSupported", message=said)
