"""CEL expressions over one variable, `event`: compiled once, asked often.

The library is large and most subscriptions need none, so it is loaded with the first expression;
it comes with the extra `cel`.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

MISSING = (
    "CEL needs the package cel-expr-python, which is not installed: pip install heliograph[cel]"
)
_TRUTH = ("BOOL", "DYN")


class BadExpressionError(ValueError):
    """The text is no CEL expression, or not one that can be true or false."""


class Program:
    """One expression, ready to be asked."""

    def __init__(self, text: str) -> None:
        try:
            self._compiled = _environment().compile(text)
        except RuntimeError as error:
            raise BadExpressionError(_spoken(str(error))) from error
        kind = str(self._compiled.return_type().name())
        if kind not in _TRUTH:
            raise BadExpressionError(f"must be true or false, not {kind.lower()}")

    def holds(self, variables: Mapping[str, object]) -> bool | None:
        """Evaluate; None where it cannot be told."""
        try:
            answer = self._compiled.eval(data=dict(variables))
        except RuntimeError:  # a value that the library cannot hold
            return None
        if answer.type().name() != "BOOL":
            return None
        return bool(answer.plain_value())


@cache
def program(text: str) -> Program:
    """Compile an expression, or take it from memory; raise BadExpressionError."""
    return Program(text)


@cache
def _environment() -> Any:
    try:
        from cel_expr_python import cel  # noqa: PLC0415 - large, and few subscriptions need it
    except ImportError:
        raise BadExpressionError(MISSING) from None
    return cel.NewEnv(variables={"event": cel.Type.DYN})


def _spoken(text: str) -> str:
    """Return the library's complaint on one line, without its codes."""
    told = text.removeprefix("INVALID_ARGUMENT: ").partition("\n")[0]
    return told.removeprefix("ERROR: ").removeprefix("<input>:").strip()
