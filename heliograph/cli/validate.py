"""`heliograph validate -f FILE...`: check manifests the way the operator does, without a cluster.

All problems at once, each with its path and the line in the file. Exit code 0 if all is well, 2 if
something is not.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from heliograph.cli.flags import add_flags
from heliograph.cli.run import settings_of
from heliograph.views.manifests import Document, documents
from shared.kernel.features import Features
from shared.kernel.manifests import text_at
from shared.resources.crd import stored
from shared.resources.problem import Problem
from shared.resources.raycluster import GROUP, RayCluster
from shared.resources.reading import read_raycluster
from shared.runtime.failures import Exit, FatalError
from shared.validation.raycluster import validate

STDIN = "-"


class Finding(Struct, frozen=True, kw_only=True):
    """One problem in one file."""

    file: str
    line: int
    resource: str
    path: str
    message: str


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
    """Check every document and print what is wrong."""
    features = settings_of(args).rules.feature_gates
    checked, findings = 0, list[Finding]()
    for name in args.filename:
        for document in filter(_ours, _read(name)):
            checked += 1
            findings.extend(_check(name, document, features))
    if args.output == "json":
        sys.stdout.write(msgspec.json.encode(findings).decode() + "\n")
    else:
        sys.stdout.writelines(_line(finding) for finding in findings)
        sys.stdout.write(
            f"{_count(checked, 'resource')} checked, {_count(len(findings), 'problem')}\n"
        )
    return Exit.REFUSED if findings else Exit.DONE


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


def _ours(document: Document) -> bool:
    return text_at(document.content, "apiVersion").startswith(f"{GROUP}/")


def _line(finding: Finding) -> str:
    at = f"{finding.path}: " if finding.path else ""
    return f"{finding.file}:{finding.line}: {finding.resource}: {at}{finding.message}\n"


def _read(name: str) -> tuple[Document, ...]:
    try:
        text = sys.stdin.read() if name == STDIN else Path(name).read_text()
        return tuple(documents(text))
    except (OSError, UnicodeDecodeError) as problem:
        raise FatalError(f"{name} cannot be read: {problem}") from problem
    except ValueError as problem:
        raise FatalError(f"{name} is not YAML that Kubernetes would take: {problem}") from problem


def _check(name: str, document: Document, features: Features) -> Iterator[Finding]:
    raw = document.content
    kind = text_at(raw, "kind") or "object"
    resource = f"{kind} {text_at(raw, 'metadata', 'name') or '(no name)'}"
    problems = _problems(kind, document, features)
    for problem in problems:
        yield Finding(
            file=name,
            line=document.line_of(problem.path),
            resource=resource,
            path=problem.path,
            message=problem.message,
        )


def _problems(kind: str, document: Document, features: Features) -> tuple[Problem, ...]:
    if kind != "RayCluster":
        return (Problem(path="kind", message=f"{kind} is not known to this version", reason=""),)
    cluster = read_raycluster(stored(document.content))
    if not isinstance(cluster, RayCluster):
        return cluster
    return validate(cluster, features)
