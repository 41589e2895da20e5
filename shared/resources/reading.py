"""Raw object to resource, or to problems that name the path.

Reading decides about shape only: types, required fields, known words. Whether what was written
makes sense is decided in `shared.validation`. Reading never raises, whatever it is
given. It is cheap: some 25 microseconds for a cluster of two groups, since pod templates stay raw.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from shared.kernel.manifests import Raw
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster

_UNSHAPED = "InvalidRayClusterSpec"
_UNSHAPED_METADATA = "InvalidRayClusterMetadata"
_KINDS = MappingProxyType(
    {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
)


_SHAPES = MappingProxyType(
    {
        "model_type": "should be an object",
        "model_attributes_type": "should be an object",
        "dict_type": "should be an object",
        "mapping_type": "should be an object",
        "list_type": "should be a list",
        "tuple_type": "should be a list",
        "string_type": "should be text",
        "int_type": "should be a whole number",
        "int_parsing": "should be a whole number",
        "bool_type": "should be true or false",
        "bool_parsing": "should be true or false",
    }
)
"""Shapes in the words of manifests, not of the library that checks them."""


def read_raycluster(raw: Raw) -> RayCluster | tuple[Problem, ...]:
    """Read a RayCluster of either version; every problem of shape at once."""
    try:
        return RayCluster.model_validate(raw)
    except ValidationError as refused:
        return tuple(_problem(error) for error in refused.errors(include_url=False))


def _problem(error: ErrorDetails) -> Problem:
    of_metadata = error["loc"][:1] == ("metadata",)
    return Problem(
        path=path_text(error["loc"]),
        message=_sentence(error),
        reason=_UNSHAPED_METADATA if of_metadata else _UNSHAPED,
    )


def path_text(steps: Sequence[str | int]) -> str:
    """Write a path as users do: `spec.workerGroupSpecs[0].replicas`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif step.replace("_", "").isalnum():
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]"
    return text


def _sentence(error: ErrorDetails) -> str:
    if error["type"] == "missing":
        return "is required"
    told = _SHAPES.get(error["type"])
    if told is None:
        told = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{told}, not {_kind(error['input'])}"


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "an object"
    return _KINDS.get(type(value), "nothing" if value is None else "this")
