"""YAML documents with the line of every path. Pure.

Read the way Kubernetes reads them: keys are text and stand once, dates stay text. What cannot be
read raises `ValueError` with the line.
"""

from collections.abc import Iterator, Mapping

import yaml
from msgspec import Struct

Path = str

_TEXTUAL = frozenset({"tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"})
_MERGE = "tag:yaml.org,2002:merge"
_PARTS_MAX, _DEPTH_MAX = 100_000, 100
"""No manifest has more; one that does repeats itself through aliases."""

Pair = tuple[yaml.Node, yaml.Node]


class Document(Struct, frozen=True):
    """One document and where each of its parts stands."""

    content: Mapping[str, object]
    lines: Mapping[Path, int]

    def line_of(self, path: Path) -> int:
        """Return the line of a path, or of the nearest part around it."""
        while path and path not in self.lines:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.lines.get(path, 1)


def documents(text: str) -> Iterator[Document]:
    """Read every document of a text that is not empty."""
    try:
        loader = yaml.CSafeLoader(text)
        while loader.check_node():
            node = loader.get_node()
            if node is None:
                break
            lines: dict[Path, int] = {}
            content = _build(loader, node, "", lines)
            if content is None:
                continue
            if not isinstance(content, dict):
                raise ValueError(f"line {_line(node)}: a manifest must be a mapping")  # noqa: TRY004 - bad data, not a bad type
            yield Document(content, lines)
    except yaml.YAMLError as problem:
        raise ValueError(" ".join(str(problem).split())) from problem


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _build(loader: yaml.CSafeLoader, node: yaml.Node, path: Path, lines: dict[Path, int]) -> object:
    lines.setdefault(path, _line(node))
    if len(lines) > _PARTS_MAX or path.count(".") + path.count("[") > _DEPTH_MAX:
        raise ValueError(f"line {_line(node)}: this is too large or too deep for a manifest")
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [
            _build(loader, entry, f"{path}[{index}]", lines)
            for index, entry in enumerate(node.value)
        ]
    if node.tag in _TEXTUAL:
        return str(node.value)
    value: object = loader.construct_object(node)
    return value


def _mapping(
    loader: yaml.CSafeLoader, node: yaml.MappingNode, path: Path, lines: dict[Path, int]
) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, (key, value) in _members(node).items():
        below = f"{path}.{name}" if path else name
        lines[below] = _line(key)
        found[name] = _build(loader, value, below, lines)
    return found


def _members(node: yaml.Node, depth: int = 0) -> dict[str, Pair]:
    """Return key and value by name: its own, and what it merges and does not say itself."""
    if not isinstance(node, yaml.MappingNode) or depth > _DEPTH_MAX:
        raise ValueError(f"line {_line(node)}: only mappings can be merged")
    own: dict[str, Pair] = {}
    merged: dict[str, Pair] = {}
    for key, value in node.value:
        if key.tag == _MERGE:
            for source in value.value if isinstance(value, yaml.SequenceNode) else (value,):
                merged = {**_members(source, depth + 1), **merged}
            continue
        name = _name(key)
        if name in own:
            raise ValueError(f"line {_line(key)}: {name!r} stands there twice")
        own[name] = (key, value)
    return {**merged, **own}


def _name(key: yaml.Node) -> str:
    if not isinstance(key, yaml.ScalarNode):
        raise ValueError(f"line {_line(key)}: a key must be plain text")  # noqa: TRY004 - bad data, not a bad type
    return str(key.value)
