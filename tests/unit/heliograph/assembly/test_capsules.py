"""Capsule files: the same bytes for the same records, and nothing believed unchecked."""

import zipfile
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from heliograph.assembly.capsules import (
    MANIFEST,
    RECORDS,
    UNJUDGED,
    messages_of,
    read_capsule,
    read_manifest,
    write_capsule,
)
from heliograph.views.capsule import FORMAT, Line, Manifest, Span, Tally, cut
from shared.events.subjects import everything_of
from shared.runtime.failures import FatalError
from tests.contract.test_histories import records_of
from tests.support.builders import KEY

EVERYTHING = ("ray.>",)
RECORDED = records_of("worker-failed")
MADE = Manifest(
    format=FORMAT,
    product="heliograph test",
    log="log-1",
    span=Span(first=1, last=45),
    resources=("raycluster/default/first",),
    records=45,
    base=0,
    counts={},
    redacted={},
    on_source=Tally(identical=2),
    in_capsule=Tally(identical=2),
    altered=(),
)


def saved(folder: Path, name: str = "one.capsule") -> Path:
    path = folder / name
    write_capsule(path, MADE, cut(RECORDED, None, None).lines)
    return path


def rewritten(path: Path, **files: bytes) -> Path:
    """Replace files of a capsule."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    names = {"manifest": MANIFEST, "records": RECORDS}
    content |= {names[name]: text for name, text in files.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def test_what_is_saved_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path)

    assert read_capsule(path, EVERYTHING) == RECORDED
    assert replace(read_manifest(path), sha256="") == MADE


def test_filters_choose(tmp_path: Path) -> None:
    path = saved(tmp_path)
    acts = read_capsule(path, ("ray.*.*.*.*.act",))

    assert {record.subject.rpartition(".")[2] for record in acts} == {"act"}
    assert len(acts) == 2
    assert read_capsule(path, (everything_of(KEY),)) == ()


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = saved(tmp_path), saved(tmp_path, "other.capsule")

    assert one.read_bytes() == other.read_bytes()


def test_what_is_not_to_be_compared_says_so(tmp_path: Path) -> None:
    path = tmp_path / "marked.capsule"
    lines = (
        Line(record=RECORDED[0], base=True),
        Line(record=RECORDED[1], altered=True),
        Line(record=RECORDED[2]),
    )
    write_capsule(path, MADE, lines)

    assert [UNJUDGED in one.headers for one in messages_of(path, EVERYTHING)] == [True, True, False]


def test_a_changed_record_is_noticed(tmp_path: Path) -> None:
    path = saved(tmp_path)
    with zipfile.ZipFile(path) as archive:
        text = (
            archive.read(RECORDS).replace(b"OOMKilled", b"Completed").replace(b"Evicted", b"Evil")
        )
    rewritten(path, records=text)

    for read in (read_manifest, lambda file: read_capsule(file, EVERYTHING)):
        with pytest.raises(FatalError, match="is not what was saved: its checksum is"):
            read(path)


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    newer = msgspec.json.encode({"format": FORMAT + 1, "surprise": True})
    path = rewritten(saved(tmp_path), manifest=newer)

    with pytest.raises(FatalError, match=f"format {FORMAT + 1}.*reads up to {FORMAT}: use a newer"):
        read_manifest(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file"),
        (b"", "this is not a capsule"),
        (b"hello", "this is not a capsule"),
    ],
)
def test_what_is_no_capsule_is_told_with_its_path(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    path = tmp_path / "odd.capsule"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(FatalError, match=rf"odd\.capsule: {told}"):
        read_capsule(path, EVERYTHING)


def test_another_archive_is_no_capsule(tmp_path: Path) -> None:
    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme", "hello")

    with pytest.raises(FatalError, match=r"it has no manifest\.json"):
        read_manifest(path)


def test_a_manifest_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    path = rewritten(saved(tmp_path), manifest=b'{"format": 1}')

    with pytest.raises(FatalError, match=r"manifest\.json cannot be read: "):
        read_manifest(path)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FatalError, match="the capsule cannot be written: No such file"):
        write_capsule(tmp_path / "no" / "one.capsule", MADE, ())
