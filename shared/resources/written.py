"""What all models of written things have in common.

Models are frozen, keep fields they do not know, read `null` as absent, and spell their fields in
camel case outside and in snake case inside. Objects that belong to Kubernetes (pod templates,
services, environment variables) stay whole raw mappings, with the name of their Kubernetes type
beside them for the custom resource definition: see `shared.resources.embedded`.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel

from shared.kernel.manifests import Raw, is_raw, thawed
from shared.kernel.quantities import parse_quantity
from shared.resources import embedded
from shared.resources.embedded import stands_for

_INT32 = 2**31


def _raw_object(value: object) -> Raw:
    if not is_raw(value):
        raise ValueError("should be an object with fields")
    return value


def _quantity(value: object) -> str | int:
    if isinstance(value, str | int) and parse_quantity(value) is not None:
        return value
    raise ValueError("should be a quantity such as 500m or 2Gi")


def _number(value: object) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
        return value
    raise ValueError("should be a number")


def _as_is(value: object) -> object:
    return value


_RAW = PlainValidator(_raw_object)
_KEPT = PlainSerializer(_as_is)

RawObject = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(embedded.OBJECT)]
PodTemplate = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1PodTemplateSpec"))]
ServiceObject = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1Service"))]
EnvVar = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1EnvVar"))]
EnvVarSource = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1EnvVarSource"))]
EnvFromSource = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1EnvFromSource"))]
VolumeMount = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1VolumeMount"))]
ResourceRequirements = Annotated[
    Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1ResourceRequirements"))
]
SecurityContext = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1SecurityContext"))]
IngressRule = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1NetworkPolicyIngressRule"))]
EgressRule = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1NetworkPolicyEgressRule"))]
IngressTls = Annotated[Raw, _RAW, _KEPT, WithJsonSchema(stands_for("V1IngressTLS"))]
QuantityText = Annotated[str | int, PlainValidator(_quantity), WithJsonSchema(embedded.QUANTITY)]

Flag = Annotated[bool, Field(strict=True)]
Int32 = Annotated[
    int,
    Field(strict=True, ge=-_INT32, lt=_INT32),
    WithJsonSchema({"type": "integer", "format": "int32"}),
]
Int64 = Annotated[int, Field(strict=True), WithJsonSchema({"type": "integer", "format": "int64"})]
Number = Annotated[int | float, PlainValidator(_number), WithJsonSchema({"type": "number"})]
Text = Annotated[str, StringConstraints(strict=True)]
Texts = Mapping[str, Text]


class Written(BaseModel):
    """Something a user wrote, or the API server keeps for them."""

    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True
    )

    @model_validator(mode="before")
    @classmethod
    def _absent_instead_of_null(cls, given: object) -> object:
        if is_raw(given) and None in given.values():
            return {key: value for key, value in given.items() if value is not None}
        return given

    def as_written(self) -> dict[str, object]:
        """Return the fields that were given, spelled as outside; nothing is added."""
        return thawed(self.model_dump(by_alias=True, exclude_unset=True))
