"""`python -m tests.simulation SEED [--trace]`: the story of one seed; `A-B` runs many.

Many seeds end with a table of which faults met which states, and one word for all their stories:
the same on every machine. Some are run once more without faults, and must end alike. A seed that
fails is made small first: what is printed is the shortest plan that still fails, and how it ends.
`--mutants` plants bugs and looks for them.
"""

import argparse
import gc
import logging
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from hashlib import sha256
from time import perf_counter

from msgspec import Struct

from tests.simulation.comparing import departures, in_turn
from tests.simulation.meetings import Meetings, table, unmet
from tests.simulation.mutants import MUTANTS
from tests.simulation.plan import Plan, draw
from tests.simulation.run import Verdict, run_plan, run_seed
from tests.simulation.shrinking import shrunk, told

PART = 10
"""Seeds that a process takes at once."""
MOST = 2000
"""Seeds within which a planted bug must be noticed."""
NAMED = 8
"""Pairs of fault and state that are named if nobody met them."""
LAST = 30
"""Lines of a story that are told of a seed that failed."""


class Tally(Struct):
    """What some seeds came to."""

    failed: list[int]
    met: Meetings
    stories: dict[int, str]
    """The fingerprint of each seed's story."""
    count: int = 0
    compared: int = 0
    """Seeds that were also run without faults, and held against that."""


def main() -> int:
    """Run what was asked for; 1 if something must never have happened."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", nargs="?", default="", help="One seed, or a range such as 0-99.")
    parser.add_argument("--trace", action="store_true", help="Tell the whole story.")
    parser.add_argument("--jobs", type=int, default=1, help="Processes to use.")
    parser.add_argument("--mutants", nargs="*", metavar="NAME", help="Plant these bugs, or all.")
    args = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())
    if args.mutants is not None:
        return _hunt(args.mutants or tuple(MUTANTS), args.jobs)
    first, _, last = args.seeds.partition("-")
    if not first.isdigit() or not (last or first).isdigit():
        parser.error("name a seed, or a range such as 0-99")
    return _run(range(int(first), int(last or first) + 1), args.jobs, trace=args.trace)


def keep_garbage() -> None:
    """Look for no garbage within a seed: what was imported stays, and a world ends as a whole."""
    gc.freeze()
    gc.disable()


def drop_garbage() -> None:
    """Let go of the world of the last seed; what lasted longer than one is not looked at again."""
    gc.collect(1)


def _run(seeds: range, jobs: int, *, trace: bool) -> int:
    begun, whole = perf_counter(), Tally(failed=[], met=Meetings(), stories={})
    with ProcessPoolExecutor(jobs, initializer=keep_garbage) as pool:
        parts = [pool.submit(_judge, part, trace=trace) for part in _parts(seeds)]
        for part in as_completed(parts):
            _add(whole, part)
            _progress(whole, len(seeds), begun)
    if len(seeds) > 1:
        print(*table(whole.met), sep="\n")
        left = unmet(whole.met)
        print(f"never met: {len(left)} pairs{': ' if left else ''}{', '.join(left[:NAMED])}")
    minutes = (perf_counter() - begun) / 60
    fine = len(seeds) - len(whole.failed)
    print(f"{fine} of {len(seeds)} seeds are fine, {len(seeds) / minutes:.0f} a minute")
    print(f"{whole.compared} of them were also run without faults, to see whether they end alike")
    print(f"all stories in one word: {in_one_word(whole.stories)}")
    if whole.failed:
        print(f"failed: {sorted(whole.failed)}")
    return 1 if whole.failed else 0


def in_one_word(stories: Mapping[int, str]) -> str:
    """Return what two runs of the same seeds have in common, wherever and in whichever order."""
    told_of = "\n".join(f"{seed} {story}" for seed, story in sorted(stories.items()))
    return sha256(told_of.encode()).hexdigest()[:16]


def _parts(seeds: range) -> Iterator[range]:
    return (seeds[start : start + PART] for start in range(0, len(seeds), PART))


def _add(whole: Tally, part: "Future[Tally]") -> None:
    tally = part.result()
    whole.failed.extend(tally.failed)
    whole.met.update(tally.met)
    whole.stories.update(tally.stories)
    whole.count += tally.count
    whole.compared += tally.compared


def _progress(whole: Tally, of: int, begun: float) -> None:
    if of == 1:
        return
    rate = whole.count / (perf_counter() - begun) * 60
    text = f"{whole.count} of {of} seeds, {len(whole.failed)} failed, {rate:.0f} a minute"
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}  ")
    elif whole.count == of or whole.count % 500 < PART:
        sys.stderr.write(f"{text}\n")
    if whole.count == of and sys.stderr.isatty():
        sys.stderr.write("\n")


def _judge(seeds: range, *, trace: bool) -> Tally:
    tally = Tally(failed=[], met=Meetings(), stories={})
    for seed in seeds:
        begun = perf_counter()
        verdict = run_seed(seed)
        wrongs = wrongs_of(draw(seed), verdict)
        tally.count += 1
        tally.compared += in_turn(seed)
        tally.met.update(verdict.met)
        tally.stories[seed] = verdict.story.fingerprint()
        if trace:
            sys.stdout.writelines(f"{line}\n" for line in verdict.story.lines())
            print(f"seed {seed}: {verdict.took:.0f} virtual s in {perf_counter() - begun:.2f} s")
        if wrongs:
            tally.failed.append(seed)
            _explain(seed, wrongs)
            gc.collect()
        del verdict
        drop_garbage()
    sys.stdout.flush()
    return tally


def wrongs_of(plan: Plan, verdict: Verdict) -> tuple[str, ...]:
    """Tell what must never be, and what ended otherwise than without faults, if it is its turn."""
    return verdict.violations or (departures(plan, verdict) if in_turn(verdict.seed) else ())


def _explain(seed: int, wrongs: Sequence[str]) -> None:
    """Tell what went wrong, and the shortest plan in which it still does."""
    for sentence in wrongs:
        print(f"seed {seed}: {sentence}")

    def fails(plan: Plan) -> bool:
        wrong = bool(wrongs_of(plan, run_plan(seed, plan)))
        drop_garbage()
        return wrong

    small = shrunk(draw(seed), fails)
    print(f"seed {seed} fails in the same world with {len(small.steps)} steps:")
    print(*(f"  {line}" for line in told(small)), sep="\n")
    print("and so it ends:")
    print(*(f"  {line}" for line in deque(run_plan(seed, small).story.lines(), LAST)), sep="\n")


def _hunt(names: Sequence[str], jobs: int) -> int:
    """Plant each bug and look for the first seed that notices."""
    escaped = []
    with ProcessPoolExecutor(jobs, initializer=keep_garbage) as pool:
        hunts = {pool.submit(caught, name, range(MOST)): name for name in names}
        for hunt in as_completed(hunts):
            seed, sentence = hunt.result()
            if not sentence:
                escaped.append(hunts[hunt])
            told_of = f"seed {seed}: {sentence}" if sentence else f"nobody noticed in {MOST} seeds"
            print(f"{hunts[hunt]}: {told_of}", flush=True)
    print(f"{len(names) - len(escaped)} of {len(names)} planted bugs were found")
    return 1 if escaped else 0


def caught(name: str, seeds: range) -> tuple[int, str]:
    """Return the first seed in which a planted bug is noticed, and what is said then."""
    for seed in seeds:
        with MUTANTS[name]():
            violations = run_seed(seed).violations
        drop_garbage()
        if violations:
            return seed, violations[0]
    return -1, ""


if __name__ == "__main__":
    sys.exit(main())
