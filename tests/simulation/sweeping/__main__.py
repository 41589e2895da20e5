"""`python -m tests.simulation.sweeping`: every moment of every story, and whatever can befall it.

A story (`stories.py`) is told once without trouble, to learn its moments (`moments.py`): whenever a
process has done something that outlasts it. Then it is told anew for each moment and each trouble
(`troubles.py`), which comes in this very moment. Every invariant is judged at every step; what
broke and was mended must in the end have changed nothing. `--every 10` takes one moment in ten,
`--story` and `--trouble` choose by a part of their names, `--trace N` tells one moment's story.
"""

import argparse
import logging
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from time import perf_counter

from tests.simulation.__main__ import drop_garbage, keep_garbage
from tests.simulation.sweeping.stories import STORIES
from tests.simulation.sweeping.sweep import Case, cases_of, told, wrongs_of

PART = 20
"""Moments that a process takes at once."""
LAST = 30
"""Lines of a story that are told of a moment that went wrong."""


def main() -> int:
    """Go through what was asked for; 1 if something must never have happened."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation.sweeping", description=__doc__
    )
    parser.add_argument("--story", default="", help="Stories with this in their names.")
    parser.add_argument("--trouble", default="", help="Troubles with this in their names.")
    parser.add_argument("--every", type=int, default=1, help="Take one moment of so many.")
    parser.add_argument("--trace", type=int, metavar="N", help="Tell the whole story of a moment.")
    parser.add_argument("--jobs", type=int, default=1, help="Processes to use.")
    args = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())
    every = 1 if args.trace else args.every
    names = [name for name in STORIES if args.story in name]
    cases = [
        case
        for name in names
        for case in cases_of(name, every)
        if args.trouble in case.trouble and args.trace in (None, case.moment)
    ]
    if not cases:
        parser.error("no story has such a moment")
    return _trace(cases) if args.trace else _run(cases, args.jobs)


def _trace(cases: Sequence[Case]) -> int:
    for case in cases:
        print(*told(case), sep="\n")
    return 0


def _run(cases: Sequence[Case], jobs: int) -> int:
    begun, count, failed = perf_counter(), 0, 0
    with ProcessPoolExecutor(jobs, initializer=keep_garbage) as pool:
        parts = [pool.submit(_judged, part) for part in _parts(cases)]
        for part in as_completed(parts):
            taken, lines = part.result()
            count += taken
            failed += len(lines)
            print(*(line for each in lines for line in each), sep="\n", end="\n" * bool(lines))
            _progress(count, len(cases), failed)
    minutes = (perf_counter() - begun) / 60
    stories, troubles = ({getattr(each, what) for each in cases} for what in ("story", "trouble"))
    print(
        f"{len(cases) - failed} of {len(cases)} moments are fine, in {len(stories)} stories, "
        f"{len(troubles)} troubles: {minutes:.1f} minutes"
    )
    return 1 if failed else 0


def _parts(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    return (cases[start : start + PART] for start in range(0, len(cases), PART))


def _judged(cases: Sequence[Case]) -> tuple[int, list[list[str]]]:
    wrong = []
    for case in cases:
        sentences = wrongs_of(case)
        drop_garbage()
        if sentences:
            ended = [f"  {line}" for line in told(case)[-LAST:]]
            wrong.append([*(f"{case}: {each}" for each in sentences), "and so it ends:", *ended])
            drop_garbage()
    return len(cases), wrong


def _progress(count: int, of: int, failed: int) -> None:
    text = f"{count} of {of} moments, {failed} failed"
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}  " + "\n" * (count == of))
    elif count == of or count % 1000 < PART:
        sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
