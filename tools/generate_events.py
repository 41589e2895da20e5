"""Write what the world may read of lifecycle events, or check that it is up to date.

    python -m tools.generate_events            write it
    python -m tools.generate_events --check    exit 1 and say what is stale

The page, the JSON Schema and the AsyncAPI document in docs/reference, all from
`shared.events.lifecycle`. `tests/house/test_events_pages.py` holds them fresh.
"""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tools.lifecycle.asyncapi import text
from tools.lifecycle.page import page
from tools.lifecycle.schemas import whole

HOME = Path(__file__).resolve().parents[1]
FOLDER = HOME / "docs" / "reference"


def schema() -> str:
    """Return the JSON Schema of any event."""
    return json.dumps(whole(), indent=2, ensure_ascii=False) + "\n"


FILES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {"lifecycle-events.md": page, "events.schema.json": schema, "asyncapi.yaml": text}
)


def stale(folder: Path = FOLDER) -> list[str]:
    """Return the files that differ from what the code says."""
    made = {folder / name: make() for name, make in FILES.items()}
    return [
        path.name
        for path, words in made.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != words
    ]


def write(folder: Path = FOLDER) -> None:
    """Write every file."""
    for name, make in FILES.items():
        (folder / name).write_text(make(), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    if arguments == ["--check"]:
        old = stale()
        for name in old:
            print(f"docs/reference/{name} is stale: run python -m tools.generate_events")
        return 1 if old else 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
