"""CEL expressions: compiled once, asked often.

The library is loaded with the first expression, so that a cluster without rules never pays for it.
Values are typed as they are, not as the schema says; only numbers and the names of fields are made
what CEL expects. Read next: celfunctions.py for what Kubernetes adds to the language.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from sandbox.schemas.nodes import Node

RESERVED = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return", "var"),
        *("void", "while"),
    )
)
ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
OPTIONAL = "cel.bind(oldSelf, oldSelfKnown ? optional.of(oldSelf) : optional.none(), {})"
ERRORS = (
    ("Key not found in map : ", "no such key: "),
    ("Index error: index=", "index out of bounds: "),
    ("divide by zero", "division by zero"),
    ("modulus by zero", "modulus by zero"),
    ("No matching overloads found", "no such overload"),
)


class BadExpressionError(ValueError):
    """The text is no CEL expression, or not one that can be true or false."""


class Failed(Struct, frozen=True):
    """An expression could not be evaluated: in the words the API server uses."""

    because: str


class Program:
    """One expression, ready to be asked."""

    def __init__(self, text: str, *, optional_old: bool = False) -> None:
        source = OPTIONAL.format(f"({text})") if optional_old else text
        try:
            self._compiled = _environment().compile(source)
        except RuntimeError as error:
            raise BadExpressionError(_plain(str(error))) from error

    @property
    def type(self) -> str:
        """The type of the answer, as far as it is known before asking."""
        return str(self._compiled.return_type().name())

    def ask(self, value: Any, old: Any = None, *, known: bool = False) -> Any:
        """Evaluate for a value (and the one before, if it is `known`); may return `Failed`."""
        data = {"self": value, "oldSelf": old, "oldSelfKnown": known}
        answer = self._compiled.eval(data=data)
        if answer.type().name() == "ERROR":
            return Failed(_spoken(str(answer.value())))
        return answer.plain_value()


@cache
def program(text: str, *, optional_old: bool = False) -> Program:
    """Compile an expression, or take it from memory; raises `BadExpressionError`."""
    return Program(text, optional_old=optional_old)


def as_cel(node: Node | None, value: Any) -> Any:
    """Return a value with numbers and field names as CEL wants them."""
    if isinstance(value, Mapping):
        fields = node.properties if node is not None else {}
        values = node.values if node is not None else None
        return {
            _escaped(name) if name in fields else name: as_cel(fields.get(name, values), below)
            for name, below in value.items()
        }
    if isinstance(value, list):
        items = node.items if node is not None else None
        return [as_cel(items, item) for item in value]
    if node is not None and node.type == "number" and isinstance(value, int):
        return float(value)
    return value


def _escaped(name: str) -> str:
    if name in RESERVED:
        return f"__{name}__"
    for plain, escape in ESCAPES:
        name = name.replace(plain, escape)
    return name


def _plain(text: str) -> str:
    """Return the library's complaint without its codes."""
    return text.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")


def _spoken(text: str) -> str:
    told = text.partition(": ")[2]
    for theirs, ours in ERRORS:
        if theirs in told:
            rest = told.partition(theirs)[2].partition(" size=")[0]
            return f"{ours}{rest.strip().strip(chr(34))}"
    return told


@cache
def _environment() -> Any:
    from cel_expr_python import cel  # noqa: PLC0415 - large, and many clusters have no rules
    from cel_expr_python.ext import (  # noqa: PLC0415
        ext_bindings,
        ext_encoders,
        ext_math,
        ext_optional,
        ext_strings,
    )

    from sandbox.schemas.celfunctions import extension  # noqa: PLC0415

    return cel.NewEnv(
        variables={
            "self": cel.Type.DYN,
            "oldSelf": cel.Type.DYN,
            "oldSelfKnown": cel.Type.BOOL,
        },
        extensions=[
            ext_strings.ExtStrings(),
            ext_math.ExtMath(),
            ext_optional.ExtOptional(),
            ext_encoders.ExtEncoders(),
            ext_bindings.ExtBindings(),
            extension(cel),
        ],
    )
