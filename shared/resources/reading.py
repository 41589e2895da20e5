"""Raw object to resource, or to problems that name the path.

Reading decides about shape only: types, required fields, known words. Whether what was written
makes sense is decided in `shared.validation`. Reading never raises, whatever it is
given. It is cheap: some 25 microseconds for a cluster of two groups, since pod templates stay raw.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from shared.kernel.manifests import Raw
from shared.resources.problem import Problem
from shared.resources.raycluster import KIND as RAYCLUSTER
from shared.resources.raycluster import RayCluster
from shared.resources.raycronjob import KIND as RAYCRONJOB
from shared.resources.raycronjob import RayCronJob
from shared.resources.rayjob import KIND as RAYJOB
from shared.resources.rayjob import RayJob
from shared.resources.rayservice import KIND as RAYSERVICE
from shared.resources.rayservice import RayService
from shared.resources.written import Written

AnyResource = RayCluster | RayJob | RayService | RayCronJob
Problems = tuple[Problem, ...]

_Model = TypeVar("_Model", bound=Written)

_RESOURCES: Mapping[str, type[AnyResource]] = MappingProxyType(
    {
        RAYCLUSTER: RayCluster,
        RAYJOB: RayJob,
        RAYSERVICE: RayService,
        RAYCRONJOB: RayCronJob,
    }
)
KINDS = tuple(_RESOURCES)
"""Our kinds, as users write them."""

_BY_WORD = MappingProxyType({kind.lower(): kind for kind in KINDS})
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


def read(word: str, raw: Raw) -> AnyResource | Problems:
    """Read a resource by our word for its kind, such as rayjob; every problem of shape at once."""
    kind = _BY_WORD.get(word)
    if kind is None:
        return (Problem(path="kind", message=f"{word!r} is none of {', '.join(_BY_WORD)}"),)
    return _read(_RESOURCES[kind], raw, kind)


def read_raycluster(raw: Raw) -> RayCluster | Problems:
    """Read a RayCluster of either version."""
    return _read(RayCluster, raw, RAYCLUSTER)


def read_rayjob(raw: Raw) -> RayJob | Problems:
    """Read a RayJob of either version."""
    return _read(RayJob, raw, RAYJOB)


def read_rayservice(raw: Raw) -> RayService | Problems:
    """Read a RayService of either version."""
    return _read(RayService, raw, RAYSERVICE)


def read_raycronjob(raw: Raw) -> RayCronJob | Problems:
    """Read a RayCronJob."""
    return _read(RayCronJob, raw, RAYCRONJOB)


def _read(model: type[_Model], raw: Raw, kind: str) -> _Model | Problems:
    try:
        return model.model_validate(raw)
    except ValidationError as refused:
        return tuple(_problem(error, kind) for error in refused.errors(include_url=False))


def _problem(error: ErrorDetails, kind: str) -> Problem:
    of_metadata = error["loc"][:1] == ("metadata",) and kind != RAYCRONJOB
    return Problem(
        path=path_text(error["loc"]),
        message=_sentence(error),
        reason=f"Invalid{kind}{'Metadata' if of_metadata else 'Spec'}",
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
