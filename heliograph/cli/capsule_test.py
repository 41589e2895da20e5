"""`heliograph capsule test FILE -o FOLDER`: a regression test, and the capsule beside it."""

import re
import shutil
import sys
from pathlib import Path

from heliograph.assembly.capsules import read_manifest
from heliograph.assembly.replaying import check_capsule
from shared.runtime.failures import Exit, FatalError

TEMPLATE = '''"""{title}: every decision of a recorded history, made again.

Written by `heliograph capsule test`. It fails when a decision is no longer the one that is in the
capsule: then a rule has changed. `heliograph capsule replay {name}` says more.
"""

from pathlib import Path

from heliograph.assembly.replaying import check_capsule

CAPSULE = Path(__file__).parent / "{name}"
DECISIONS = {decisions}


def test_{word}_is_decided_as_it_was() -> None:
    checked = check_capsule(CAPSULE)

    assert checked.differences == ()
    assert checked.identical == DECISIONS
'''


def write(capsule: Path, folder: Path) -> int:
    """Write the test; say how to run it, and whether it holds now."""
    manifest = read_manifest(capsule)
    checked = check_capsule(capsule)
    decisions = checked.identical + len({line.split(":")[0] for line in checked.differences})
    if not decisions:
        raise FatalError(f"{capsule}: the capsule holds no decision that could be made again")
    word = re.sub(r"\W+", "_", capsule.stem).strip("_").lower() or "capsule"
    text = TEMPLATE.format(
        title=", ".join(manifest.resources[:3]), name=capsule.name, decisions=decisions, word=word
    )
    target = folder / f"test_{word}.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside = folder / capsule.name
        if beside.resolve() != capsule.resolve():
            shutil.copyfile(capsule, beside)
        target.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise FatalError(f"{target}: cannot be written: {problem.strerror}") from problem
    sys.stdout.write(f"{target}: {decisions} decisions; run it with pytest\n")
    if checked.differences:
        sys.stdout.write(f"it fails now: {checked.differences[0]}\n")
    return Exit.DONE
