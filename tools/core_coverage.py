"""How much of the pure core is run, by lines and branches: by unit tests, by the simulation, apart.

`python tools/core_coverage.py unit` runs the unit tests of the core's packages in one process,
`simulation` runs seeds (`--seeds 400`). Both print a table by package and the files that lack most,
and end with 1 below `--least`. Tables, types and lines that only name types count like any other.
The simulation runs services: files that none of its services has anything to do with are left
apart, each with its reason, and what they would have counted is printed, too.
"""

import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from pathlib import Path

import pytest
from coverage import Coverage
from msgspec import Struct

HOME = Path(__file__).resolve().parent.parent
UNIT = ("tests/unit/shared", "tests/unit/services", "tests/contract/test_histories.py")
CORE = (
    "shared.",
    "services.watcher.",
    "services.reconciler.",
    "services.executor.",
    "services.status.",
    "services.scheduler.",
)
LEAST = 95.0
SEEDS = 400
WORST = 12
APART = {
    "shared/validation/check.py": "judges what nobody has stored: for the command line and webhook",
    "shared/validation/schema.py": "reads files as an API server would: for the command line",
    "shared/validation/rules.py": "collects rules for their reference page",
    "shared/events/upcasting.py": "reads records of older versions, which no code writes any more",
}
"""What of the core no simulated service runs, and why; unit tests run it."""


def pure_files() -> list[Path]:
    """Return the files of the operator's pure core, as `.importlinter` declares it.

    The sandbox and the views of the command line are pure as well, and not meant here.
    """
    contracts = ConfigParser()
    contracts.read(HOME / ".importlinter", encoding="utf-8")
    named = contracts["importlinter:contract:pure"]["source_modules"].split()
    places = [HOME / module.replace(".", "/") for module in named if module.startswith(CORE)]
    inside = [path for place in places if place.is_dir() for path in place.rglob("*.py")]
    alone = [place.with_suffix(".py") for place in places if not place.is_dir()]
    return sorted({*inside, *alone})


class Share:
    """What of some code was run."""

    def __init__(self) -> None:
        self.there = self.run = 0

    def add(self, there: int, run: int) -> None:
        """Count some more."""
        self.there += there
        self.run += run

    @property
    def percent(self) -> float:
        """Lines and branches that were run, of all."""
        return 100.0 * self.run / self.there if self.there else 100.0


def measured(what: str, seeds: int) -> Coverage:
    """Run the tests or the seeds while looking on."""
    found = [str(path) for path in pure_files()]
    looking = Coverage(branch=True, include=found, data_file=None, messages=False)
    looking.start()
    code = run_tests() if what == "unit" else run_seeds(seeds)
    looking.stop()
    if code:
        sys.stderr.write(f"what was measured failed ({code}): its coverage tells nothing\n")
        raise SystemExit(code)
    return looking


class Unhurried:
    """Lets property tests take their time: looking on makes them slow."""

    def pytest_configure(self) -> None:
        """Set what holds for every property that says nothing else."""
        from hypothesis import HealthCheck, settings  # noqa: PLC0415 - pytest must come first

        too_slow = [HealthCheck.too_slow]
        settings.register_profile("unhurried", deadline=None, suppress_health_check=too_slow)
        settings.load_profile("unhurried")


def run_tests() -> int:
    """Run the unit tests here, so that everything they run is seen."""
    alone = ("--numprocesses", "0", "--timeout", "0")
    places = (str(HOME / one) for one in UNIT)
    return int(pytest.main(["-q", *alone, *places], plugins=[Unhurried()]))


def run_seeds(count: int) -> int:
    """Run the first seeds here."""
    from tests.simulation.run import run_seed  # noqa: PLC0415 - measured from its import on

    bad = [seed for seed in range(count) if run_seed(seed).violations]
    if bad:
        sys.stderr.write(f"these seeds break something: {bad}\n")
    return int(bool(bad))


class Run(Struct, frozen=True, kw_only=True):
    """How much of a file was run."""

    name: str
    there: int
    run: int
    lines: Sequence[int]
    """Those that were not."""

    @property
    def missing(self) -> int:
        """Lines and branches that were not run."""
        return self.there - self.run


def runs_in(looking: Coverage) -> Iterator[Run]:
    """Yield what was run of each file of the core."""
    for path in pure_files():
        numbers = looking._analyze(str(path)).numbers  # noqa: SLF001 - branches are nowhere else
        there = numbers.n_statements + numbers.n_branches
        yield Run(
            name=str(path.relative_to(HOME)),
            there=there,
            run=there - numbers.n_missing - numbers.n_missing_branches,
            lines=looking.analysis2(str(path))[3],
        )


def report(runs: Sequence[Run], apart: Mapping[str, str], least: float) -> int:
    """Print what was run, by package, and the files that lack most; 1 if it is too little."""
    packages, whole, everything = defaultdict[str, Share](Share), Share(), Share()
    for one in runs:
        everything.add(one.there, one.run)
        if one.name not in apart:
            whole.add(one.there, one.run)
            packages["/".join(one.name.split("/")[:2])].add(one.there, one.run)
    for name, share in sorted(packages.items()):
        sys.stdout.write(f"{name:32} {share.there:7} {share.percent:6.1f} %\n")
    sys.stdout.write(f"{'the pure core':32} {whole.there:7} {whole.percent:6.1f} %\n")
    for name, why in apart.items():
        sys.stdout.write(f"left apart: {name}, which {why}\n")
    if apart:
        told = f"{everything.there:7} {everything.percent:6.1f} %"
        sys.stdout.write(f"{'with what is left apart':32} {told}\n")
    _lacking([one for one in runs if one.name not in apart])
    if whole.percent < least:
        sys.stderr.write(f"{whole.percent:.1f} percent are less than {least:g}\n")
    return 0 if whole.percent >= least else 1


def _lacking(runs: Sequence[Run]) -> None:
    sys.stdout.write("\n")
    for one in sorted(runs, key=lambda one: (-one.missing, one.name))[:WORST]:
        if one.missing:
            sys.stdout.write(f"{one.missing:4} not run in {one.name}: {_some(one.lines)}\n")


def _some(lines: Sequence[int], most: int = 12) -> str:
    more = " ..." if len(lines) > most else ""
    return ", ".join(str(line) for line in lines[:most]) + more


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(prog="tools/core_coverage.py", description=__doc__)
    parser.add_argument("what", choices=("unit", "simulation"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--least", type=float, default=LEAST, help="percent (95)")
    args = parser.parse_args()
    sys.path.insert(0, str(HOME))
    apart = APART if args.what == "simulation" else {}
    return report(tuple(runs_in(measured(args.what, args.seeds))), apart, args.least)


if __name__ == "__main__":
    sys.exit(main())
