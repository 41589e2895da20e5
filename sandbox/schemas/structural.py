"""A CRD's OpenAPI v3 schema made ready for work: prune, default, find problems.

The API server takes an object from a client in this order: prune what the schema does not know,
fill in defaults, then validate. Every method returns a new value and leaves its argument alone.
The root's apiVersion, kind and metadata belong to the API server: never pruned, whatever the schema
says. Read next: nodes.py, then pruning.py, defaulting.py, validation.py.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from sandbox.errors import Cause
from sandbox.schemas.defaulting import defaulted
from sandbox.schemas.nodes import Node, read_node
from sandbox.schemas.pruning import ROOT_FIELDS, pruned
from sandbox.schemas.validation import Validator, compile_validator, find_problems


class Schema(msgspec.Struct, frozen=True, kw_only=True):
    """One version of one custom resource, compiled."""

    root: Node
    validator: Validator

    def prune(self, obj: Mapping[str, Any]) -> dict[str, Any]:
        """Copy the object without the fields that the schema does not know."""
        return pruned(self.root, obj)[0]

    def unknown(self, obj: Mapping[str, Any]) -> tuple[str, ...]:
        """Name the fields that pruning would drop, as `spec.groups[0].typo`."""
        return pruned(self.root, obj)[1]

    def default(self, obj: Mapping[str, Any]) -> dict[str, Any]:
        """Copy the object with defaults filled in, and nulls dropped where a default stands."""
        return defaulted(self.root, obj)

    def problems(self, obj: Mapping[str, Any]) -> tuple[Cause, ...]:
        """Find everything that the schema refuses, in the API server's words."""
        return find_problems(self.root, self.validator, obj)

    def at(self, path: tuple[str, ...]) -> Node | None:
        """Find the node for a path of field names; lists are stepped through, not named."""
        node: Node | None = self.root
        for name in path:
            while node is not None and node.items is not None:
                node = node.items
            if node is None:
                return None
            node = node.properties.get(name, node.values)
        return node


def compile_schema(openapi_v3_schema: Mapping[str, Any]) -> Schema:
    """Compile the `openAPIV3Schema` of one CRD version."""
    read = read_node(openapi_v3_schema)
    root = msgspec.structs.replace(
        read, properties={**dict.fromkeys(ROOT_FIELDS, Node(preserves=True)), **read.properties}
    )
    root = msgspec.structs.replace(
        root, properties={**root.properties, "metadata": Node(type="object", preserves=True)}
    )
    return Schema(root=root, validator=compile_validator(openapi_v3_schema))
