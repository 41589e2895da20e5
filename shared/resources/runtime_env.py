"""A runtime environment: YAML text that must hold a mapping which JSON can say.

Read as KubeRay reads it: scalars of YAML 1.1, so that `yes` and `n` are booleans, while dates stay
text. What the text says is never repeated in a fault: people keep tokens in it.
"""

import json
import re
from collections.abc import Mapping

import yaml

_BOOLEAN = "tag:yaml.org,2002:bool"
_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_NOT_YAML = "this is not YAML"
_PARTS_MAX = 100_000


class _Loader(yaml.SafeLoader):
    """Scalars as in YAML 1.1, but no dates."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOLEAN, re.compile(r"^(?:y|Y|n|N)$"), list("yYnN"))
_Loader.bool_values = yaml.SafeLoader.bool_values | {"y": True, "n": False}


def read_runtime_env(text: str) -> Mapping[str, object] | str:
    """Return what the text holds, empty for nothing; a sentence if it cannot be used."""
    if not text:
        return {}
    try:
        found = yaml.load(text, _Loader)  # noqa: S506 - a safe loader, with fewer types
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        return f"{where}{_NOT_YAML}"
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return _NOT_YAML
    if found is None:
        return {}
    if not isinstance(found, dict):
        held = "a list" if isinstance(found, list) else "a single value"
        return f"it holds {held}, not a mapping"
    return "it repeats itself too often" if _too_large(found) else _as_json(found)


def _too_large(found: object) -> bool:
    """Whether aliases make much more of the text than it says: a few lines can make gigabytes."""
    parts, todo = 0, [found]
    while todo and parts <= _PARTS_MAX:
        each = todo.pop()
        parts += 1
        if isinstance(each, dict):
            todo.extend(each.values())
        elif isinstance(each, list | tuple):
            todo.extend(each)
    return parts > _PARTS_MAX


def _as_json(found: object) -> Mapping[str, object] | str:
    try:
        plain: dict[str, object] = json.loads(json.dumps(found, allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        return "it holds something that JSON cannot say"
    return plain
