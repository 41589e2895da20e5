"""KubeRay's answers as they were recorded: masked, one compressed file for each family of stories.

Invariant: the same tellings make the same file, so that recording again without a change changes
nothing.
"""

import lzma
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tests.differential.comparing import Telling

FOLDER = Path(__file__).parent / "golden"


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """Who told these stories, on what, and what was there after each step."""

    operator: str
    kubernetes: str
    stories: Mapping[str, list[Telling]]


def write(family: str, recording: Recording, folder: Path = FOLDER) -> Path:
    """Keep a recording."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{family}.json.xz"
    text = msgspec.json.format(msgspec.json.encode(recording, order="sorted"), indent=1)
    path.write_bytes(lzma.compress(text, preset=9))
    return path


def read(family: str, folder: Path = FOLDER) -> Recording:
    """Return a recording."""
    text = lzma.decompress((folder / f"{family}.json.xz").read_bytes())
    return msgspec.json.decode(text, type=Recording)


def families(folder: Path = FOLDER) -> list[str]:
    """Return the families of which there is a recording."""
    return sorted(path.name.removesuffix(".json.xz") for path in folder.glob("*.json.xz"))
