"""The rules of a structural schema (`x-kubernetes-validations`), read once.

A `RuleNode` stands for one place in the schema and holds the rules of that place and the places
below that have any: a schema without rules has no tree, and then nothing here costs anything. What
a rule says is in expressions.py; where it is asked is in judging.py.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from sandbox.schemas.nodes import Node

OLD_SELF = re.compile(r"\boldSelf\b")


class Rule(Struct, frozen=True, kw_only=True):
    """One rule: what must hold, and what to say if it does not."""

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old: bool = False

    @property
    def compares(self) -> bool:
        """Whether the rule looks at the value before the change."""
        return OLD_SELF.search(self.rule) is not None

    @property
    def shown(self) -> dict[str, Any]:
        """The rule as a refused definition shows it."""
        return {
            "Rule": self.rule,
            "Message": self.message,
            "MessageExpression": self.message_expression,
            "Reason": self.reason or None,
            "FieldPath": self.field_path,
            "OptionalOldSelf": self.optional_old or None,
        }

    @property
    def said(self) -> str:
        """The rule as messages about it name it."""
        return self.message.strip() or self.rule.strip()


class RuleNode(Struct, frozen=True, kw_only=True):
    """One place in a schema, with its rules and those below."""

    node: Node
    rules: tuple[Rule, ...] = ()
    properties: Mapping[str, "RuleNode"] = field(default_factory=dict)
    items: "RuleNode | None" = None
    values: "RuleNode | None" = None
    all_of: tuple["RuleNode", ...] = ()

    @property
    def silent(self) -> bool:
        """Whether there is no rule here or below."""
        below = (*self.properties.values(), self.items, self.values, *self.all_of)
        return not self.rules and not any(below)


def read_rules(schema: Mapping[str, Any], node: Node) -> RuleNode | None:
    """Read the rules of a schema; None if it has none. `node` is the same schema as a tree."""
    given = schema.get("properties") or {}
    properties = {
        name: found
        for name, below in given.items()
        if (found := read_rules(below, node.properties.get(name, Node()))) is not None
    }
    read = RuleNode(
        node=node,
        rules=tuple(_rule(row) for row in schema.get("x-kubernetes-validations") or ()),
        properties=properties,
        items=_below(schema.get("items"), node.items),
        values=_below(schema.get("additionalProperties"), node.values),
        all_of=tuple(
            found
            for part in schema.get("allOf") or ()
            if (found := read_rules(part, node)) is not None
        ),
    )
    return None if read.silent else read


def places(tree: RuleNode | None, path: str) -> Iterator[tuple[str, RuleNode]]:
    """Yield every place that has rules, with its path in the definition."""
    if tree is None:
        return
    if tree.rules:
        yield path, tree
    for name, below in tree.properties.items():
        yield from places(below, f"{path}.properties[{name}]")
    yield from places(tree.items, f"{path}.items")
    yield from places(tree.values, f"{path}.additionalProperties")
    for index, below in enumerate(tree.all_of):
        yield from places(below, f"{path}.allOf[{index}]")


def _below(schema: object, node: Node | None) -> RuleNode | None:
    return read_rules(schema, node or Node()) if isinstance(schema, Mapping) else None


def _rule(row: Mapping[str, Any]) -> Rule:
    return Rule(
        rule=str(row.get("rule") or ""),
        message=str(row.get("message") or ""),
        message_expression=str(row.get("messageExpression") or ""),
        reason=str(row.get("reason") or ""),
        field_path=str(row.get("fieldPath") or ""),
        optional_old=bool(row.get("optionalOldSelf", False)),
    )
