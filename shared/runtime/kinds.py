"""Kinds of settings: how text becomes a value, how a value is shown, what to say when it is wrong.

A kind is the annotation of a field in `shared.runtime.settings`. Every error is a ValueError whose
sentence continues the name of the flag or variable: "must be true or false, not 'maybe'".
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, get_args, get_origin

import msgspec

from shared.kernel.features import GATES, Features, parse_features
from shared.runtime.parts import MisshapenError, Parts, Texts, read_parts, read_texts
from shared.runtime.spans import parse_span, print_span

_WORDS = MappingProxyType(
    dict.fromkeys(("1", "t", "true", "y", "yes", "on"), True)
    | dict.fromkeys(("0", "f", "false", "n", "no", "off"), False)
)
_NAMES = tuple[str, ...]


def parse(kind: object, text: str) -> object:
    """Turn a user's text into a value of the kind."""
    if kind is Features:
        return parse_features(text)
    try:
        return _PARSERS[kind](text) if kind in _PARSERS else _convert(kind, text)
    except MisshapenError:
        raise
    except (ValueError, KeyError):
        raise ValueError(f"must be {describe(kind)}, not {text!r}") from None


def is_truth(text: str) -> bool:
    """Whether a text is one of the words for true and false."""
    return text.strip().lower() in _WORDS


def describe(kind: object) -> str:
    """Say what a kind accepts, to go after "must be"."""
    if kind in _DESCRIPTIONS:
        return _DESCRIPTIONS[kind]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        *others, last = (member.value for member in kind)
        return f"{', '.join(others)} or {last}"
    return _describe_limits(*get_args(kind)) if get_origin(kind) is Annotated else str(kind)


def show(value: object) -> str:
    """Write a value as a user would."""
    match value:
        case bool():
            return str(value).lower()
        case timedelta():
            return print_span(value)
        case Features():
            return ",".join(_differences(value))
        case tuple():
            return ",".join(str(part) for part in value)
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return str(value)


def _describe_limits(kind: type, limits: msgspec.Meta) -> str:
    noun = _DESCRIPTIONS[kind]
    if limits.min_length:
        return f"{noun} that is not empty"
    if limits.gt is not None:
        return f"{noun} above {limits.gt}"
    if limits.le is not None:
        return f"{noun} from {limits.ge} to {limits.le}"
    return f"{noun} of at least {limits.ge}"


def _differences(features: Features) -> list[str]:
    return [
        f"{name}={show(features.on(name))}"
        for name, gate in GATES.items()
        if features.on(name) is not gate.enabled
    ]


def _truth(text: str) -> bool:
    return _WORDS[text.strip().lower()]


def _names(text: str) -> _NAMES:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise MisshapenError("", f"must be JSON: {error}") from None


def _convert(kind: object, text: str) -> object:
    value: object = msgspec.convert(text.strip(), kind, strict=False)
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise ValueError("not finite")
    return value


_PARSERS: Mapping[object, Callable[[str], object]] = MappingProxyType(
    {
        bool: _truth,
        timedelta: parse_span,
        _NAMES: _names,
        Parts: lambda text: read_parts(_json(text)),
        Texts: lambda text: read_texts(_json(text)),
    }
)
_DESCRIPTIONS: Mapping[object, str] = MappingProxyType(
    {
        bool: "true or false",
        str: "a text",
        int: "a whole number",
        float: "a number",
        timedelta: "a span like 7d, 12h, 30m or 10s",
        Features: "feature gates like Name=true,Other=false",
        _NAMES: "names with commas between",
        Parts: "a JSON list of objects with names",
        Texts: "a JSON object of texts",
    }
)
