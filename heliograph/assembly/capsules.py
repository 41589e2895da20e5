"""Capsules on disk: a redacted slice of the log in one file, read without a bus.

A zip archive of two files: `manifest.json` says what it is, `records.jsonl` holds one record a
line. The same records give the same bytes. Nothing of a file is believed before its checksum
agrees; a file of a newer format is refused.
"""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import IO

import msgspec
from msgspec.structs import replace

from heliograph.views.capsule import FORMAT, Line, Manifest
from shared.bus.matching import matcher
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.envelope import Record
from shared.ports.event_log import NO_HEADERS, Message
from shared.runtime.failures import FatalError

MANIFEST = "manifest.json"
RECORDS = "records.jsonl"
UNJUDGED = "Heliograph-Unjudged"
"""The header of a message that is not compared: others rest on it, or redaction altered it."""
_UNJUDGED: Mapping[str, str] = MappingProxyType({UNJUDGED: "true"})
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_LINE_MAX = 4_000_000
"""No record is longer; a line that is would fill the memory."""


class _Stored(msgspec.Struct, omit_defaults=True):
    sequence: int
    at: datetime
    subject: str
    envelope: msgspec.Raw
    base: bool = False
    altered: bool = False


class _Format(msgspec.Struct):
    format: int


_decoder = msgspec.json.Decoder(_Stored)


def write_capsule(path: Path, manifest: Manifest, lines: Iterable[Line]) -> Manifest:
    """Write a capsule; return its manifest, now with the checksum."""
    text = b"".join(_written(line) for line in lines)
    sealed = replace(manifest, sha256=hashlib.sha256(text).hexdigest())
    page = msgspec.json.format(encode(sealed), indent=2) + b"\n"
    try:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in ((MANIFEST, page), (RECORDS, text)):
                entry = zipfile.ZipInfo(name, _LONG_AGO)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o600 << 16
                archive.writestr(entry, content)
    except OSError as problem:
        raise FatalError(f"{path}: the capsule cannot be written: {problem.strerror}") from problem
    return sealed


def _written(line: Line) -> bytes:
    record = line.record
    stored = _Stored(
        sequence=record.sequence,
        at=record.at,
        subject=record.subject,
        envelope=msgspec.Raw(encode(record.envelope)),
        base=line.base,
        altered=line.altered,
    )
    return encode(stored) + b"\n"


def read_manifest(path: Path) -> Manifest:
    """Read what a capsule says of itself, once its records are as it says."""
    with _opened(path) as archive:
        manifest = _manifest(path, archive)
        _check(path, archive, manifest)
    return manifest


def read_capsule(path: Path, filters: Sequence[str]) -> tuple[Record, ...]:
    """Read the records of a capsule that the filters name, oldest first."""
    return tuple(_decoded(path, message) for message in messages_of(path, filters))


def messages_of(path: Path, filters: Sequence[str]) -> Iterator[Message]:
    """Go through the messages of a capsule that the filters name, oldest first, undecoded."""
    wanted = matcher(filters)
    with _opened(path) as archive:
        _check(path, archive, _manifest(path, archive))
        with archive.open(RECORDS) as stream:
            for number, line in enumerate(_lines(stream), start=1):
                stored = _stored(path, number, line)
                if wanted(stored.subject):
                    yield Message(
                        sequence=stored.sequence,
                        at=stored.at,
                        subject=stored.subject,
                        data=bytes(stored.envelope),
                        headers=_UNJUDGED if stored.base or stored.altered else NO_HEADERS,
                    )


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except OSError as problem:
        raise FatalError(f"{path}: cannot be read: {problem.strerror}") from problem
    except zipfile.BadZipFile as problem:
        raise FatalError(f"{path}: this is not a capsule ({problem})") from problem


def _manifest(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        text = archive.read(MANIFEST)
        known = msgspec.json.decode(text, type=_Format).format
        if known > FORMAT:
            raise FatalError(
                f"{path}: a capsule of format {known}, and this version reads up to {FORMAT}: "
                "use a newer heliograph"
            )
        return msgspec.json.decode(text, type=Manifest)
    except KeyError as problem:
        raise FatalError(f"{path}: this is not a capsule (it has no {MANIFEST})") from problem
    except (zipfile.BadZipFile, msgspec.MsgspecError) as problem:
        raise FatalError(f"{path}: {MANIFEST} cannot be read: {problem}") from problem


def _check(path: Path, archive: zipfile.ZipFile, manifest: Manifest) -> None:
    digest = hashlib.sha256()
    try:
        with archive.open(RECORDS) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    except KeyError as problem:
        raise FatalError(f"{path}: this is not a capsule (it has no {RECORDS})") from problem
    except (zipfile.BadZipFile, OSError) as problem:
        raise FatalError(f"{path}: {RECORDS} is damaged: {problem}") from problem
    if digest.hexdigest() != manifest.sha256:
        raise FatalError(
            f"{path}: {RECORDS} is not what was saved: its checksum is {digest.hexdigest()}, "
            f"and {MANIFEST} says {manifest.sha256}"
        )


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(_LINE_MAX):
        yield line


def _stored(path: Path, number: int, line: bytes) -> _Stored:
    try:
        return _decoder.decode(line)
    except msgspec.MsgspecError as problem:
        raise FatalError(f"{path}: line {number} of {RECORDS} is no record: {problem}") from problem


def _decoded(path: Path, message: Message) -> Record:
    try:
        return decode(message)
    except UnreadableRecordError as problem:
        raise FatalError(f"{path}: {problem}") from problem
