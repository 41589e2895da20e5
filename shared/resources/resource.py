"""What all our custom resources have in common: group, version, metadata, and where things are.

Each kind adds its name and the model of its spec. The status stays raw: it is told, not written by
users, and a status of odd shape must not keep anybody from reading the spec beside it. Its shape is
in the `*_status.py` files.
"""

from collections.abc import Mapping
from typing import Annotated, Generic, TypeVar

from pydantic import Field, JsonValue

from shared.kernel.manifests import Raw
from shared.resources.written import RawObject, Text, Texts, Written

GROUP = "ray.io"
VERSION = "v1"
OLD_VERSION = "v1alpha1"

_MANAGED_BY_RULES: list[JsonValue] = [
    {"rule": "self == oldSelf", "message": "the managedBy field is immutable"},
    {
        "rule": "self in ['ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue']",
        "message": (
            "the managedBy field value must be either 'ray.io/kuberay-operator' or "
            "'kueue.x-k8s.io/multikueue'"
        ),
    },
]
ManagedBy = Annotated[
    Text, Field(json_schema_extra={"x-kubernetes-validations": [*_MANAGED_BY_RULES]})
]

Spec = TypeVar("Spec", bound=Written)


class Metadata(Written):
    """What Kubernetes keeps about every object."""

    name: Text = ""
    namespace: Text = "default"
    uid: Text = ""
    generation: int = 0
    labels: Texts = Field(default_factory=dict)
    annotations: Texts = Field(default_factory=dict)
    finalizers: tuple[Text, ...] = ()
    creation_timestamp: Text | None = None
    deletion_timestamp: Text | None = None


class Resource(Written, Generic[Spec]):
    """A custom resource with its metadata and the status it was last seen with."""

    api_version: Text = f"{GROUP}/{VERSION}"
    kind: Text = ""
    metadata: Metadata = Metadata()
    spec: Spec
    status: RawObject = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        """Which of all resources that ever had this name it is."""
        return self.metadata.uid

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.metadata.labels

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.metadata.annotations

    def spec_as_written(self) -> Raw:
        """Return the spec with nothing added."""
        return self.spec.as_written()
