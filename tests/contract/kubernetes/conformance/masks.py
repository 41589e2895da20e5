"""What two servers cannot agree on, made comparable: ids, revisions, times, addresses.

An id or a revision becomes a number in the order of its first appearance, so that a change of it
still shows. Revisions of lists, and times that the server wrote, become plain marks. Moments that a
client wrote are kept: cases write them in the year 2030. What a message shows of the server's own
structures is cut off, and so are the descriptions of columns.
"""

import re
from collections.abc import Mapping
from typing import Any

MOMENT = re.compile(r"20(?!30)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
ADDRESS = re.compile(r"\b10\.96\.\d+\.\d+\b")
AGE = re.compile(r"\d+[smhd]|<invalid>")
OLD = re.compile(r"too old resource version: (\d+) \(\d+\)")
SUFFIX = 5
DIFFERENCE = "\n@@ -"
ORDER = ("operation", "manager", "subresource", "apiVersion")
PLAIN = frozenset(("description", "continue"))
LISTS = ("List", "Table", "Bookmark")


class Masks:
    """The masks of one play of one case."""

    def __init__(self, namespace: str) -> None:
        self._names: dict[str, str] = {namespace: "$ns"}
        self._revisions: dict[str, str] = {}

    def masked(self, answer: Any) -> Any:
        """Return an answer without what may differ."""
        return self._value(answer, "")

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list):
            items = [self._value(item, key) for item in value]
            return _ordered(items, key)
        if isinstance(value, str):
            return self._text(value, key)
        if key == "nodePort" and isinstance(value, int):
            return self._named(f"port {value}", "port")
        return value

    def _mapping(self, value: Mapping[str, Any]) -> dict[str, Any]:
        self._learn_name(value)
        kind = str(value.get("kind", ""))
        if kind.endswith(LISTS) and isinstance(value.get("metadata"), Mapping):
            value = {**value, "metadata": {**value["metadata"], "resourceVersion": ""}}
        out = {self._text(k, ""): self._value(item, k) for k, item in _first_things(value)}
        if kind.endswith(LISTS) and isinstance(value.get("metadata"), Mapping):
            out["metadata"] = {**out["metadata"], "resourceVersion": "<revision>"}
        if value.get("type") == "BOOKMARK":
            bare = {**out["object"]["metadata"], "resourceVersion": "<revision>"}
            out["object"] = {**out["object"], "metadata": bare}
        return _settled(out)

    def _learn_name(self, value: Mapping[str, Any]) -> None:
        prefix, name = value.get("generateName"), value.get("name")
        if isinstance(prefix, str) and isinstance(name, str) and len(name) == len(prefix) + SUFFIX:
            self._names[name] = f"{prefix}<suffix>"

    def _text(self, text: str, key: str) -> str:
        if key == "uid" and text:
            return self._named(text, "uid")
        if key == "resourceVersion" and text.isdigit() and text != "0":
            return self._revisions.setdefault(text, f"<revision-{len(self._revisions)}>")
        if key == "cells" and AGE.fullmatch(text):
            return "<age>"
        if text and (key in PLAIN or (key == "token" and text.count(".") == 2)):
            return f"<{key}>"
        return self._spoken(text)

    def _spoken(self, text: str) -> str:
        text = MOMENT.sub("<time>", text).partition(DIFFERENCE)[0]
        text = OLD.sub(r"too old resource version: \1 (<revision>)", text)
        text = ADDRESS.sub(lambda found: self._named(found.group(), "ip"), text)
        for name, mask in self._names.items():
            text = text.replace(name, mask)
        for revision, mask in self._revisions.items():
            if len(revision) > 1:
                text = re.sub(rf"\b{revision}\b", mask, text)
        return text

    def _named(self, value: str, sort: str) -> str:
        count = sum(mask.startswith(f"<{sort}-") for mask in self._names.values())
        return self._names.setdefault(value, f"<{sort}-{count}>")


def _first_things(value: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Look at metadata before texts that may speak of it, and else in the order of names."""
    return sorted(value.items(), key=lambda pair: (pair[0] not in {"metadata", "uid"}, pair[0]))


def _ordered(items: list[Any], key: str) -> list[Any]:
    if key == "managedFields":
        return sorted(items, key=lambda item: [str(item.get(field)) for field in ORDER])
    if key == "resources" and all("singularName" in item for item in items):
        return sorted(items, key=lambda item: str(item["name"]))
    return items


def _settled(out: dict[str, Any]) -> dict[str, Any]:
    """Put several causes in order: the real server gives them as its maps happen to lie."""
    details = out.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    if isinstance(causes, list) and len(causes) > 1 and isinstance(details, dict):
        listed = sorted(causes, key=lambda cause: (str(cause.get("field")), cause["message"]))
        message = str(out["message"]).partition(" is invalid: ")[0]
        return {**out, "message": message, "details": {**details, "causes": listed}}
    return out
