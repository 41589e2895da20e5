"""Every example is something a user could apply."""

from pathlib import Path
from typing import Any

import yaml

from tests.house.sources import files, name


def documents(path: Path) -> list[Any]:
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def is_an_object(document: Any) -> bool:
    return isinstance(document, dict) and {"apiVersion", "kind", "metadata"} <= document.keys()


def test_every_example_holds_objects_of_kubernetes() -> None:
    examples = {name(path): documents(path) for path in files("examples", ending=".yaml")}

    assert [file for file, each in examples.items() if not each] == []
    assert [file for file, each in examples.items() if not all(map(is_an_object, each))] == []
