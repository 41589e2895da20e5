"""`heliograph capsule save|show|replay|test`: a redacted slice of the log in one file.

`save` cuts it, `show` says what it is, `replay` decides it again without a bus, `test` writes a
regression test from it. Exit code of `replay`: 0 if identical, 1 if a decision differs.
"""

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from heliograph import __version__
from heliograph.assembly.adapters import open_bus
from heliograph.assembly.capsules import read_manifest, write_capsule
from heliograph.assembly.gathering import gather
from heliograph.cli import capsule_test, replay
from heliograph.cli.asking import resource_of
from heliograph.cli.printing import add_output, print_value
from heliograph.cli.render import Cell, Colour, Screen, table
from heliograph.cli.run import settings_of
from heliograph.cli.source import add_source, reading
from heliograph.cli.when import moment_of
from heliograph.views.capsule import FORMAT, Manifest, Slice, Span, Tally, counts_of, cut
from heliograph.views.sealing import Sealed, seal
from shared.kernel.counting import counted
from shared.runtime.failures import Exit, FatalError
from shared.runtime.settings import BusSettings

EXAMPLES = """examples:
  heliograph capsule save raycluster/default/first -f incident.capsule
  heliograph capsule save --all --since 2h -f evening.capsule
  heliograph capsule show incident.capsule
  heliograph capsule replay incident.capsule
  heliograph capsule test incident.capsule -o tests/incidents

With a resource come its owners and what it owns. No value that may be a secret is
in a capsule: what was one is told by a stand-in, redacted-1 and so on."""
MODES = {
    True: ", of a shadow",
    False: ", of an installation that acts",
    None: "; whether of a shadow is not known",
}
SAVE, SHOW, REPLAY, TEST = "save", "show", "replay", "test"
FILE = "FILE"


def add_arguments(parser: ArgumentParser) -> None:
    """Name a deed, and what it needs."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    deeds = parser.add_subparsers(dest="deed", required=True, metavar="save|show|replay|test")
    _add_save(deeds.add_parser(SAVE, help="Cut a capsule out of the log.", allow_abbrev=False))
    for deed, text in ((SHOW, "Say what a capsule is."), (REPLAY, "Decide a capsule again.")):
        one = deeds.add_parser(deed, help=text, allow_abbrev=False)
        one.add_argument("file", type=Path, metavar=FILE)
        add_output(one)
    test = deeds.add_parser(TEST, help="Write a regression test.", allow_abbrev=False)
    test.add_argument("file", type=Path, metavar=FILE)
    test.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FOLDER", help="Where to write it."
    )


def _add_save(parser: ArgumentParser) -> None:
    parser.add_argument(
        "resources", nargs="*", metavar="KIND/NAMESPACE/NAME", help="Whose history to save."
    )
    parser.add_argument("--all", action="store_true", help="All resources.")
    parser.add_argument(
        "--since", metavar="WHEN", help="From a moment, or a span ago (2h, 7d), on."
    )
    parser.add_argument("--until", metavar="WHEN", help="Up to a moment.")
    parser.add_argument(
        "-f", "--filename", type=Path, required=True, metavar=FILE, help="The file to write."
    )
    add_output(parser)
    add_source(parser)


def run(args: Namespace) -> int:
    """Do what was asked."""
    match args.deed:
        case "save":
            return _save(args)
        case "show":
            _tell(read_manifest(args.file), args.output)
            return Exit.DONE
        case "replay":
            return _replay(args)
        case _:
            return capsule_test.write(args.file, args.output)


def _replay(args: Namespace) -> int:
    """Replay a file as the whole log would be."""
    everything = Namespace(
        capsule=args.file,
        resource=None,
        first=None,
        last=None,
        step=False,
        output=args.output,
    )
    return replay.run(everything)


def _save(args: Namespace) -> int:
    if bool(args.resources) == args.all:
        raise FatalError("name resources as KIND/NAMESPACE/NAME, or say --all")
    keys = tuple(resource_of(text, "capsule") for text in args.resources)
    since, until = moment_of(args, "--since", args.since), moment_of(args, "--until", args.until)
    if since is not None and until is not None and since > until:
        raise FatalError("--since: this is after --until")
    records = reading(args, "capsule", lambda read: gather(read, keys))
    found = _of_its_mode(args, cut(records, since, until))
    if not found.lines or not found.resources:
        raise FatalError("the log holds nothing of these resources in this range")
    sealed = seal(found)
    manifest = manifest_of(found, sealed, _log_of(args))
    _tell(write_capsule(args.filename, manifest, sealed.lines), args.output)
    return Exit.DONE


def _of_its_mode(args: Namespace, found: Slice) -> Slice:
    """Let a capsule of a capsule say of its log what that one said."""
    if args.capsule is None or found.shadow is not None:
        return found
    return replace(found, shadow=read_manifest(args.capsule).shadow)


def _log_of(args: Namespace) -> str:
    """Say which log the records are from."""
    if args.capsule is not None:
        return read_manifest(args.capsule).log

    return asyncio.run(_identity(settings_of(args).bus))


async def _identity(settings: BusSettings) -> str:
    async with open_bus(settings, "capsule") as bus:
        return (await bus.log.end()).identity


def manifest_of(found: Slice, sealed: Sealed, log: str) -> Manifest:
    """Say what a capsule of these lines is."""
    return Manifest(
        format=FORMAT,
        product=f"heliograph {__version__}",
        log=log,
        span=found.span,
        resources=tuple(map(str, found.resources)),
        records=len(sealed.lines),
        base=sum(1 for line in sealed.lines if line.base),
        counts=counts_of(sealed.lines),
        redacted=sealed.redacted,
        on_source=sealed.on_source,
        in_capsule=sealed.in_capsule,
        altered=sealed.altered,
        shadow=found.shadow,
    )


def _tell(manifest: Manifest, form: str) -> None:
    if form != "table":
        print_value(manifest, form)
        return
    screen = Screen(sys.stdout, os.environ)
    rows: list[list[Cell | str]] = [
        [Cell(what, Colour.DIM), text] for what, text in facts_of(manifest)
    ]
    screen.write(table(screen, rows))


def facts_of(manifest: Manifest) -> list[tuple[str, str]]:
    """Tell a manifest to a person, line by line."""
    span, counts = manifest.span, manifest.counts
    listed = [f"{kind}: {_counts(each)}" for kind, each in counts.items()]
    rows = [
        ("made by", f"{manifest.product}, format {manifest.format}"),
        ("from log", f"{manifest.log}{MODES[manifest.shadow]}"),
        ("records", f"{manifest.records}, {manifest.base} of them from before the range"),
        *_asked(span),
        ("range", f"{_when(span.began_at)} to {_when(span.ended_at)}"),
        ("", f"records {span.first} to {span.last}"),
        *_listed("resources", list(manifest.resources)),
        *_listed("holds", listed),
        ("redacted", _counts(manifest.redacted) or "nothing"),
        ("on the source", _decisions(manifest.on_source)),
        ("in the capsule", _decisions(manifest.in_capsule)),
    ]
    if manifest.altered:
        acts = ", ".join(map(str, manifest.altered))
        rows.append(("not compared", f"redaction altered what acts {acts} rest on"))
    return [*rows, ("sha256", manifest.sha256)]


def _asked(span: Span) -> list[tuple[str, str]]:
    since = f"since {_when(span.since)}" if span.since else ""
    until = f"until {_when(span.until)}" if span.until else ""
    asked = " ".join(filter(None, (since, until)))
    return [("asked for", asked)] if asked else []


def _listed(title: str, lines: list[str]) -> list[tuple[str, str]]:
    return [(title if number == 0 else "", line) for number, line in enumerate(lines)]


def _when(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else "?"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _decisions(tally: Tally) -> str:
    if not tally.all:
        return "no decisions"
    if tally.identical == tally.all:
        return f"{counted(tally.all, 'decision')}, identical"
    return (
        f"{tally.identical} of {tally.all} decisions identical, {tally.different} different, "
        f"{tally.missing} with nothing to rest on"
    )
