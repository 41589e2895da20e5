"""Recorded histories as capsules, and what commands said of them, kept in `golden/`."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from heliograph.assembly.capsules import write_capsule
from heliograph.cli.capsule import manifest_of
from heliograph.views.capsule import FORMAT, Line, Manifest, Span, Tally, cut
from heliograph.views.sealing import seal
from shared.events.envelope import Record
from tests.contract.test_histories import records_of

GOLDEN = Path(__file__).parent / "golden"


def capsule_of(name: str, folder: Path, *, until: int | None = None) -> Path:
    """Write a recorded history, or its beginning, as a capsule; return its path."""
    records = tuple(one for one in records_of(name) if until is None or one.sequence <= until)
    return saved(records, folder / f"{name}.capsule")


def saved(records: Sequence[Record], path: Path, *, ended_at: datetime | None = None) -> Path:
    """Write records as a capsule; return its path."""
    manifest = Manifest(
        format=FORMAT,
        product="test",
        log="log-1",
        span=Span(began_at=records[0].at, ended_at=ended_at or records[-1].at),
        resources=(),
        records=len(records),
        base=0,
        counts={},
        redacted={},
        on_source=Tally(),
        in_capsule=Tally(),
        altered=(),
    )
    write_capsule(path, manifest, (Line(record=record) for record in records))
    return path


def sealed(records: Sequence[Record], path: Path, *, until: datetime | None = None) -> Path:
    """Save records as `heliograph capsule save` does; return the path."""
    found = cut(records, None, until)
    made = seal(found)
    write_capsule(path, manifest_of(found, made, "log-1"), made.lines)
    return path


def assert_golden(name: str, text: str) -> None:
    """Compare with what was kept; what is not kept yet is written, and read by a person."""
    path = GOLDEN / f"{name}.txt"
    if not path.is_file():
        GOLDEN.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        raise AssertionError(f"{path.name} was written: read it, and run again")
    assert text == path.read_text(encoding="utf-8")
