"""What identifies a resource.

Subjects are by name, truth is by uid: a `ResourceKey` names the place in the log, a `Uid` says
which of the resources that ever lived under that name is meant.
"""

from typing import NewType

from msgspec import Struct

Uid = NewType("Uid", str)


class ResourceKey(Struct, frozen=True, order=True):
    """Kind (lower case, singular), namespace and name of a resource."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"


def parse_key(text: str) -> ResourceKey:
    """Read `kind/namespace/name`, as people write it; raise ValueError with a sentence."""
    parts = text.split("/")
    if len(parts) != 3 or not all(parts):  # noqa: PLR2004 - kind, namespace, name
        raise ValueError(f"'{text}' is not of the form KIND/NAMESPACE/NAME")
    kind, namespace, name = parts
    return ResourceKey(kind=kind.lower(), namespace=namespace, name=name)
