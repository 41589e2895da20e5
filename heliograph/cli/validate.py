"""`heliograph validate -f FILE...`: check manifests the way the operator does, without a cluster.

All problems at once, each with its path, the line in the file and what helps. Objects of other
groups are passed over and counted. Exit code 0 if all is well, 2 if something is not.
"""

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from heliograph.cli.flags import add_flags
from heliograph.cli.run import settings_of
from heliograph.views.manifests import Document, documents
from shared.kernel.features import Features
from shared.kernel.manifests import Raw, entries_at, text_at
from shared.runtime.failures import Exit, FatalError
from shared.validation.check import check_file, ours

STDIN = "-"
_QUOTED = re.compile(r"\[(['\"])(.*?)\1\]")


class Finding(Struct, frozen=True, kw_only=True):
    """One problem in one file."""

    file: str
    line: int
    resource: str
    path: str
    message: str
    rule: str
    hint: str


class Place(Struct, frozen=True, kw_only=True):
    """An object, and where in which file it stands."""

    file: str
    document: Document
    path: str
    raw: Raw

    @property
    def name(self) -> str:
        """What to call the object."""
        metadata = ("metadata", "name"), ("metadata", "generateName")
        names = (text_at(self.raw, *path) for path in metadata)
        return f"{text_at(self.raw, 'kind') or 'object'} {next(filter(None, names), '(no name)')}"

    def line_of(self, path: str) -> int:
        """Return the line of a path in the object, or of the nearest part around it."""
        plain = _QUOTED.sub(r".\2", path)
        return self.document.line_of(".".join(filter(None, (self.path, plain))))


def add_arguments(parser: ArgumentParser) -> None:
    """Name files."""
    parser.add_argument(
        "-f",
        "--filename",
        action="append",
        required=True,
        metavar="FILE",
        help="A YAML or JSON file, several documents allowed; - for standard input.",
    )
    parser.add_argument(
        "-o", "--output", choices=("text", "json"), default="text", help="How to print problems."
    )
    parser.epilog = "Example: heliograph validate -f examples/01-minimal.yaml"
    add_flags(parser, "rules", ("feature_gates",))


def run(args: Namespace) -> int:
    """Check every object and print what is wrong."""
    features = settings_of(args).rules.feature_gates
    places = [place for name in args.filename for place in _places(name)]
    checked = [place for place in places if ours(place.raw)]
    findings = [finding for place in checked for finding in _findings(place, features)]
    if args.output == "json":
        sys.stdout.write(msgspec.json.encode(findings).decode() + "\n")
    else:
        sys.stdout.writelines(_text(finding) for finding in findings)
        passed = [place for place in places if not ours(place.raw)]
        sys.stdout.write(f"{_summary(len(checked), len(findings), passed)}\n")
    return Exit.REFUSED if findings else Exit.DONE


def _places(name: str) -> Iterator[Place]:
    """Go through the objects of a file; a list is what it lists."""
    for document in _read(name):
        raw = document.content
        if not (text_at(raw, "kind").endswith("List") and "items" in raw):
            yield Place(file=name, document=document, path="", raw=raw)
            continue
        for index, entry in enumerate(entries_at(raw, "items")):
            yield Place(file=name, document=document, path=f"items[{index}]", raw=entry)


def _read(name: str) -> tuple[Document, ...]:
    try:
        text = sys.stdin.read() if name == STDIN else Path(name).read_text(encoding="utf-8")
        return tuple(documents(text))
    except (OSError, UnicodeDecodeError) as problem:
        raise FatalError(f"{name} cannot be read: {problem}") from problem
    except ValueError as problem:
        raise FatalError(f"{name} is not YAML that Kubernetes would take: {problem}") from problem


def _findings(place: Place, features: Features) -> Iterator[Finding]:
    for problem in check_file(place.raw, features):
        yield Finding(
            file=place.file,
            line=place.line_of(problem.path),
            resource=place.name,
            path=problem.path,
            message=problem.message,
            rule=problem.rule,
            hint=problem.hint,
        )


def _text(finding: Finding) -> str:
    at = f"{finding.path}: " if finding.path else ""
    hint = f"    hint: {finding.hint}\n" if finding.hint else ""
    return f"{finding.file}:{finding.line}: {finding.resource}: {at}{finding.message}\n{hint}"


def _summary(checked: int, found: int, passed: Sequence[Place]) -> str:
    told = f"{_count(checked, 'resource')} checked, {_count(found, 'problem')}"
    if not passed:
        return told
    kinds = sorted({text_at(place.raw, "kind") or "(no kind)" for place in passed})
    return f"{told}; {len(passed)} passed over, not of our group: {', '.join(kinds)}"


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"
