"""Parts of pods as settings: containers, variables, labels, annotations.

Checked for shape alone, so that a slip stops the start and not the first pod. What is wrong is
told by its path and never by its value, which may be a password.
"""

from collections.abc import Mapping, Sequence

from shared.kernel.manifests import Raw, is_raw

Parts = tuple[Raw, ...]
"""Containers or variables: what has a name among its like."""
Texts = Mapping[str, str]
"""Labels or annotations."""


class MisshapenError(ValueError):
    """A part that is not what it should be; the path continues the name of the setting."""

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(f"{path}: {sentence}" if path else sentence)
        self.path = path
        self.sentence = sentence


def read_parts(value: object) -> Parts:
    """Take a list of objects that have names of their own."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise MisshapenError("", "must be a list of objects")
    parts = tuple(_part(index, entry) for index, entry in enumerate(value))
    names = [part["name"] for part in parts]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise MisshapenError(f"[{index}].name", f"{name} stands there twice")
    return parts


def read_texts(value: object) -> Texts:
    """Take an object whose keys and values are texts."""
    if not is_raw(value):
        raise MisshapenError("", "must be an object of texts")
    for key, text in value.items():
        if not isinstance(key, str):
            raise MisshapenError(f"[{key}]", "must have a text as its key: put it in quotes")
        if not isinstance(text, str):
            raise MisshapenError(f"[{key!r}]", "must be a text: put it in quotes")
    return {key: str(text) for key, text in value.items()}


def _part(index: int, entry: object) -> Raw:
    if not is_raw(entry):
        raise MisshapenError(f"[{index}]", "must be an object")
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise MisshapenError(f"[{index}].name", "is required, as a text")
    if not isinstance(entry.get("value", ""), str):
        raise MisshapenError(f"[{index}].value", "must be a text: put it in quotes")
    return entry
