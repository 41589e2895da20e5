"""`python -m tests.simulation SEED [--trace]`: the story of one seed; `A-B` runs many."""

import argparse
import logging
import sys
from concurrent.futures import ProcessPoolExecutor
from time import perf_counter

from tests.simulation.run import run_seed


def main() -> int:
    """Run what was asked for; 1 if something must never have happened."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", help="One seed, or a range such as 0-99.")
    parser.add_argument("--trace", action="store_true", help="Tell the whole story.")
    parser.add_argument("--jobs", type=int, default=1, help="Processes to use for a range.")
    args = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())
    first, _, last = args.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    with ProcessPoolExecutor(args.jobs) as pool:
        failed = [seed for seed in pool.map(_judge, seeds, [args.trace] * len(seeds)) if seed >= 0]
    print(f"{len(seeds) - len(failed)} of {len(seeds)} seeds are fine; failed: {failed}")
    return 1 if failed else 0


def _judge(seed: int, trace: bool) -> int:
    begun = perf_counter()
    verdict = run_seed(seed)
    if trace:
        sys.stdout.writelines(f"{line}\n" for line in verdict.story.lines())
    for sentence in verdict.violations:
        print(f"seed {seed}: {sentence}")
    if trace:
        print(f"seed {seed}: {verdict.took:.0f} virtual s in {perf_counter() - begun:.2f} s")
    sys.stdout.flush()
    return seed if verdict.violations else -1


if __name__ == "__main__":
    sys.exit(main())
