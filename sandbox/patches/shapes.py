"""Which lists and maps merge piece by piece, and by which keys.

For built-in kinds the table below says what Kubernetes' own types say in their tags; for custom
resources the CRD's schema says it. A path names fields only: lists are stepped through. What is not
known merges as plain objects do, and lists replace each other whole. Read next: strategic.py.
"""

from typing import Literal, TypeAlias

import msgspec

from sandbox.schemas.builtin import ANYTHING
from sandbox.schemas.nodes import Node, reach
from sandbox.schemas.structural import Schema

Names: TypeAlias = tuple[str, ...]


class Shape(msgspec.Struct, frozen=True):
    """How one list or object merges: as one value, as a set, or item by item by its keys.

    Where `items_whole`, an item has one owner, not one for each of its fields.
    """

    merges: Literal["atomic", "set", "map"]
    keys: tuple[str, ...] = ()
    items_whole: bool = False


ATOMIC = Shape("atomic")
SET = Shape("set")
KEY_DEFAULTS = {"protocol": "TCP"}
METADATA_DEPTH = 2

_OBJECTS_WHOLE = frozenset(
    [
        "selector",
        "labelSelector",
        "nodeSelector",
        "fieldRef",
        "resourceFieldRef",
        "secretKeyRef",
        "configMapKeyRef",
        "configMapRef",
        "secretRef",
        "objectRef",
        "targetRef",
        "claimRef",
        "roleRef",
        "involvedObject",
        "regarding",
        "related",
        "podSelector",
        "namespaceSelector",
        "objectSelector",
        "overhead",
    ]
)
_LISTS: dict[str, Shape] = {
    **dict.fromkeys(
        ("containers", "initContainers", "ephemeralContainers"), Shape("map", ("name",))
    ),
    **dict.fromkeys(("env", "volumes"), Shape("map", ("name",))),
    **dict.fromkeys(("webhooks", "matchConditions"), Shape("map", ("name",))),
    **dict.fromkeys(("schedulingGates", "resourceClaims"), Shape("map", ("name",))),
    **dict.fromkeys(("imagePullSecrets", "secrets"), Shape("map", ("name",), items_whole=True)),
    **dict.fromkeys(("conditions", "addresses"), Shape("map", ("type",))),
    **dict.fromkeys(("hostAliases", "podIPs", "hostIPs"), Shape("map", ("ip",))),
    "volumeMounts": Shape("map", ("mountPath",)),
    "volumeDevices": Shape("map", ("devicePath",)),
    "ownerReferences": Shape("map", ("uid",), items_whole=True),
    "topologySpreadConstraints": Shape("map", ("topologyKey", "whenUnsatisfiable")),
    "taints": Shape("map", ("key", "effect")),
    **dict.fromkeys(("finalizers", "podCIDRs", "supplementalGroups"), SET),
}
_PORTS: dict[Names, Shape] = {
    ("containers", "ports"): Shape("map", ("containerPort", "protocol")),
    ("initContainers", "ports"): Shape("map", ("containerPort", "protocol")),
    ("spec", "ports"): Shape("map", ("port", "protocol")),
}


class Shapes(msgspec.Struct, frozen=True):
    """The shapes of one kind: a custom resource with its schema, or a built-in kind's fields."""

    schema: Schema | None = None
    builtin: Node = ANYTHING

    def of_list(self, path: Names) -> Shape:
        """Say how the list at this path merges."""
        if self.schema is None or path[:1] == ("metadata",):
            return _PORTS.get(path[-2:]) or _LISTS.get(path[-1], ATOMIC)
        node = self.schema.at(path)
        if node is None or node.list_type == "atomic":
            return ATOMIC
        return SET if node.list_type == "set" else Shape("map", node.list_keys)

    def whole(self, path: Names) -> bool:
        """Say whether the object at this path is replaced as one value by server-side apply."""
        if self.schema is None or path[:1] == ("metadata",):
            return path[-1:] != () and path[-1] in _OBJECTS_WHOLE
        node = self.schema.at(path)
        return node is not None and node.map_type == "atomic"

    def declares(self, path: Names) -> bool:
        """Say whether the last name of a path is a field of its type, and not a key of a map."""
        if path[:1] == ("metadata",):
            return len(path) <= METADATA_DEPTH
        above = reach(self.schema.root if self.schema else self.builtin, path[:-1])
        while above is not None and above.items is not None:
            above = above.items
        return above is not None and path[-1] in above.properties
