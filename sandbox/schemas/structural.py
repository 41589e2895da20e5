"""A CRD's OpenAPI v3 schema made ready for work: prune, default, find problems.

The API server takes an object from a client in this order: prune what the schema does not know,
fill in defaults, then validate. Every method returns a new value and leaves its argument alone.
The root's apiVersion, kind and metadata belong to the API server: never pruned, whatever the schema
says. Read next: nodes.py, then pruning.py, defaulting.py, validation.py.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from sandbox.errors import Cause
from sandbox.schemas.correlation import Past
from sandbox.schemas.defaulting import defaulted
from sandbox.schemas.judging import BLOCKING, broken, not_asked
from sandbox.schemas.nodes import Node, reach, read_node
from sandbox.schemas.pruning import ROOT_FIELDS, pruned
from sandbox.schemas.rules import RuleNode, read_rules
from sandbox.schemas.validation import Validator, compile_validator, find_problems


class Schema(msgspec.Struct, frozen=True, kw_only=True):
    """One version of one custom resource, compiled."""

    root: Node
    validator: Validator
    rules: RuleNode | None = None

    def prune(self, obj: Mapping[str, Any]) -> dict[str, Any]:
        """Copy the object without the fields that the schema does not know."""
        return pruned(self.root, obj)[0]

    def unknown(self, obj: Mapping[str, Any]) -> tuple[str, ...]:
        """Name the fields that pruning would drop, as `spec.groups[0].typo`."""
        return pruned(self.root, obj)[1]

    def default(self, obj: Mapping[str, Any], *, keep_nulls: bool = False) -> dict[str, Any]:
        """Copy the object with defaults filled in, also in the place of nulls.

        Other nulls that may not stand go as well, unless they are kept for validation to refuse.
        """
        return defaulted(self.root, obj, keep_nulls=keep_nulls)

    def problems(
        self,
        obj: Mapping[str, Any],
        old: Mapping[str, Any] | None = None,
        before: Sequence[Cause] = (),
    ) -> tuple[Cause, ...]:
        """Find everything that the schema refuses, in the API server's words.

        What stands as it stood in `old` is not refused, whatever the schema says by now. Rules are
        not asked when something basic is wrong, here or in what was found `before`.
        """
        found = find_problems(self.root, self.validator, obj, old)
        if self.rules is None:
            return found
        if any(cause.reason in BLOCKING for cause in (*before, *found)):
            return (*found, not_asked())
        return (*found, *broken(self.rules, obj, Past(self.root, old)))

    def at(self, path: tuple[str, ...]) -> Node | None:
        """Find the node for a path of field names; lists are stepped through, not named."""
        return reach(self.root, path)


def compile_schema(openapi_v3_schema: Mapping[str, Any]) -> Schema:
    """Compile the `openAPIV3Schema` of one CRD version; the same text is compiled once."""
    return _compiled(msgspec.json.encode(openapi_v3_schema))


@lru_cache(maxsize=64)
def _compiled(text: bytes) -> Schema:
    openapi_v3_schema = msgspec.json.decode(text)
    read = read_node(openapi_v3_schema)
    root = msgspec.structs.replace(
        read, properties={**dict.fromkeys(ROOT_FIELDS, Node(preserves=True)), **read.properties}
    )
    root = msgspec.structs.replace(
        root, properties={**root.properties, "metadata": Node(type="object", preserves=True)}
    )
    return Schema(
        root=root,
        validator=compile_validator(openapi_v3_schema),
        rules=read_rules(openapi_v3_schema, root),
    )
