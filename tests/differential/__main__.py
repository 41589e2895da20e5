"""`python -m tests.differential kuberay|heliograph|again`: play stories, and compare with KubeRay.

Under KubeRay the answers become the recorded ones with `--record`. Under Heliograph they are
compared with those; an unexplained difference makes the exit code 1. Manual:
`docs/internals/differential.md`.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from tests.differential import golden
from tests.differential.book import stories
from tests.differential.comparing import Telling
from tests.differential.golden import Recording
from tests.differential.judging import Verdict, gathered, judge
from tests.differential.playing import played_on
from tests.differential.sides import NotAtHandError, Side, heliograph, kuberay
from tests.differential.stories import Story
from tools.kuberay.assets import version


def main(arguments: Sequence[str]) -> int:
    """Play what was asked for; return the exit code."""
    options = _parser().parse_args(arguments)
    if options.operator == "again":
        kept = msgspec.json.decode(options.keep.read_bytes(), type=dict[str, list[Telling]])
        return _report(judge(kept), most=options.show)
    chosen = [
        each
        for each in stories()
        if re.search(options.only, each.name) and options.family in ("", each.family)
    ]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            with _side(options, Path(folder)) as side:
                tellings = asyncio.run(played_on(side.here.kubeconfig, side.scrape, chosen, _tell))
        except NotAtHandError as error:
            print(f"differential: {error}", file=sys.stderr)
            return 2
    if options.operator == "kuberay":
        return _keep(options, chosen, tellings)
    if options.keep:
        options.keep.write_bytes(msgspec.json.encode(tellings))
    return _report(judge(tellings), most=options.show)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("operator", choices=("kuberay", "heliograph", "again"))
    parser.add_argument("--kube", choices=("real", "sandbox"), default="real")
    parser.add_argument("--only", default="", help="stories whose name fits (a regex)")
    parser.add_argument("--family", default="", help="stories of this family")
    parser.add_argument("--record", action="store_true", help="kuberay: keep the answers")
    parser.add_argument(
        "--keep", type=Path, help="heliograph: keep what was seen; again: judge that once more"
    )
    parser.add_argument("--show", type=int, default=40, help="heliograph: so many differences")
    return parser


def _side(options: argparse.Namespace, folder: Path) -> AbstractContextManager[Side]:
    return kuberay(folder) if options.operator == "kuberay" else heliograph(folder, options.kube)


def _tell(name: str, tellings: Sequence[Telling]) -> None:
    vain = [each.step for each in tellings if not each.reached]
    print(
        f"{time.strftime('%H:%M:%S')} {name}: {len(tellings)} steps"
        + (f", in vain: {', '.join(vain)}" if vain else ""),
        flush=True,
    )


def _keep(
    options: argparse.Namespace, chosen: Iterable[Story], tellings: Mapping[str, list[Telling]]
) -> int:
    """Add to what is recorded; stories that the book no longer holds are dropped."""
    known = {each.name for each in stories()}
    if not options.record:
        return 0
    for family in sorted({each.family for each in chosen}):
        before = golden.read(family).stories if family in golden.families() else {}
        kept = {name: told for name, told in before.items() if name in known}
        new = {each.name: tellings[each.name] for each in chosen if each.family == family}
        recording = Recording(
            operator=f"KubeRay {version()}", kubernetes="kube-apiserver", stories={**kept, **new}
        )
        print(golden.write(family, recording))
    return 0


def _report(verdict: Verdict, most: int) -> int:
    for each, count in gathered(verdict.unexplained)[:most]:
        print(f"{count} x {each.told()}")
    print(verdict.told())
    return 1 if verdict.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
