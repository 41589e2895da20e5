"""Write docs/reference/validation.md from the rules that run, or check that it is up to date.

    python -m tools.generate_validation            write it
    python -m tools.generate_validation --check    exit 1 if it is stale

`tests/house/test_validation_page.py` holds it fresh.
"""

import re
import sys
from pathlib import Path

from shared.resources.reading import KINDS
from shared.validation.rule import Rule
from shared.validation.rules import rules_of

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "reference" / "validation.md"
_NOTE = "<!-- Made by tools/generate_validation.py. Change the rules, then run it again. -->"
_WORD = re.compile(r"\{(\w+)\}")
_INTRODUCTION = """\
Every rule that a resource is held to: first its metadata, then its spec, upgrades and status. The
operator tells of the first problem; `heliograph validate -f FILE` tells of all of them, each with
its line and a hint, without a cluster. Texts are those of KubeRay; a star marks a rule that only
Heliograph has.

`<place>` is the part of the spec that a rule was broken in, `<index>` counts from 0. The cluster
inside a RayJob (`spec.rayClusterSpec`) or a RayService (`spec.rayClusterConfig`) is held to the
rules of a RayCluster, with that path and the text after `The RayJob spec is invalid: ` or
`The RayService spec is invalid: `; it must not have an `upgradeStrategy`. The `jobTemplate` of a
RayCronJob is held to the rules of a RayJob's spec, with the text after `invalid RayJob template: `.

Before all rules comes the shape: types, required fields, known words. Such a problem has a path and
a sentence, and no rule. In a file the whole schema is asked for, down to the last field of a pod
template, and a field that is not known is a problem, too: kubectl refuses it, others drop it."""


def page() -> str:
    """Return the whole page."""
    sections = [line for kind in KINDS for line in _section(kind)]
    return "\n".join(("# Validation", "", _NOTE, "", _INTRODUCTION, "", *sections))


def stale(path: Path = PAGE) -> bool:
    """Whether the page differs from what the rules say."""
    return not path.is_file() or path.read_text(encoding="utf-8") != page()


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    if arguments == ["--check"]:
        if stale():
            print("docs/reference/validation.md is stale: run python -m tools.generate_validation")
            return 1
        return 0
    PAGE.write_text(page(), encoding="utf-8")
    return 0


def _section(kind: str) -> list[str]:
    rows = [_row(*_cells(rule)) for rule in rules_of(kind)]
    head = [_row("Rule", "Part", "Path", "Text", "What helps"), _row(*["---"] * 5)]
    return [f"## {kind}", "", *head, *rows, ""]


def _cells(rule: Rule) -> tuple[str, ...]:
    name = f"`{rule.id}`{' *' if rule.own else ''}"
    return name, rule.layer.value, _code(rule.path), _code(rule.text), _plain(rule.hint)


def _code(template: str) -> str:
    text = _WORD.sub(r"<\1>", template)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _plain(text: str) -> str:
    return text.replace("*", r"\*").replace("<", "&lt;")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
