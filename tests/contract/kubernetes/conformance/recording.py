"""What the real API server answered, kept for machines that have none.

One line of JSON for each case, compressed. Made by `python -m tools.generate_conformance answers`.
"""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

FILE = Path(__file__).with_name("answers.jsonl.gz")


def recorded() -> dict[str, list[Any]]:
    """Return the answers by case."""
    lines = gzip.decompress(FILE.read_bytes()).splitlines()
    rows = (msgspec.json.decode(line) for line in lines)
    return {row["case"]: row["answers"] for row in rows}


def record(answers: Mapping[str, list[Any]]) -> None:
    """Write the answers, the same bytes for the same answers."""
    rows = ({"case": case, "answers": answers[case]} for case in sorted(answers))
    text = b"".join(msgspec.json.encode(row, order="sorted") + b"\n" for row in rows)
    FILE.write_bytes(gzip.compress(text, mtime=0))
