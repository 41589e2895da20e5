"""Objects as tables: what `kubectl get` prints.

Pure. Custom kinds bring their columns as JSONPaths; built-in kinds have theirs in cells.py. The
name comes first, always.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, TypeAlias

from sandbox.api import durations, jsonpath
from sandbox.api.cells import AGE_ONLY, BUILTIN_TABLES
from sandbox.api.podstatus import row_conditions
from sandbox.kinds import Column, Kind, Version
from sandbox.objects import Object, metadata, name_of

IncludeObject: TypeAlias = Literal["None", "Metadata", "Object"]
API = "meta.k8s.io/v1"
NAME = Column(name="Name", path="", format="name", description="Name of the object")


def table(
    kind: Kind, version: Version, objects: Iterable[Object], now: datetime, include: str = ""
) -> Object:
    """Show objects as a table, each row with the object itself as far as `include` asks."""
    return {
        "kind": "Table",
        "apiVersion": API,
        "metadata": {},
        "columnDefinitions": [_definition(each) for each in (NAME, *_columns(kind, version))],
        "rows": [
            {
                "cells": [name_of(obj), *_cells(kind, version, obj, now)],
                **_marked(kind, obj),
                **_carried(obj, include),
            }
            for obj in objects
        ],
    }


def only_metadata(obj: Object) -> Object:
    """Show no more of an object than its metadata."""
    return {"kind": "PartialObjectMetadata", "apiVersion": API, "metadata": metadata(obj)}


def _columns(kind: Kind, version: Version) -> tuple[Column, ...]:
    if kind.custom:
        return version.columns
    return BUILTIN_TABLES.get(kind.resource, AGE_ONLY).columns


def _cells(kind: Kind, version: Version, obj: Object, now: datetime) -> list[Any]:
    if kind.custom:
        return [_cell(column, obj, now) for column in version.columns]
    return BUILTIN_TABLES.get(kind.resource, AGE_ONLY).cells(obj, now)


def _cell(column: Column, obj: Object, now: datetime) -> Any:
    values = jsonpath.found(column.path, obj)
    if not values:
        return None
    value = values[0]
    match column.type:
        case "date":
            return durations.age(str(value), now)
        case "integer" | "number" | "boolean":
            return value if isinstance(value, int | float) else None
        case _:
            return ",".join(_text(each) for each in values)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _definition(column: Column) -> Object:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description or _described(column),
        "priority": column.priority,
    }


def _described(column: Column) -> str:
    where = f"Custom resource definition column (in JSONPath format): {column.path}"
    return where if column.path else column.name


def _marked(kind: Kind, obj: Object) -> Object:
    marks = row_conditions(obj) if kind.resource == "pods" else []
    return {"conditions": marks} if marks else {}


def _carried(obj: Object, include: str) -> Object:
    if include == "None":
        return {"object": None}
    return {"object": obj if include == "Object" else only_metadata(obj)}
