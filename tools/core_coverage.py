"""How much of the pure core is run, by lines and branches: by unit tests, by the simulation, apart.

`python tools/core_coverage.py unit` runs the unit tests of the core's packages in one process,
`simulation` runs seeds below a number (`--seeds 8000 --jobs 2`): those whose worlds are rich or
move traffic in steps, and one in twenty of the others, which run little that these do not. Both
print a table by package and the files that lack most, and end with 1 if lines or branches are
below `--least`. Tables, types and lines that only name types count, too. `--files 400` names
more files. The simulation runs services: files that none of its services has anything to do with
are left apart, each with its reason, and what they would have counted is printed, too.
"""

import logging
import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from configparser import ConfigParser
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

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
SEEDS = 8000
ONE_IN = 20
"""How many of the seeds are run whose worlds are like all others."""
PART = 50
"""Seeds that a process takes at once."""
WORST = 12
APART = {
    "shared/validation/check.py": "judges what nobody has stored: for the command line and webhook",
    "shared/resources/defaulting.py": "does what an API server does: for the command line",
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
        self.lines = self.branches = 0
        self.lines_run = self.branches_run = 0

    def add(self, run: "Run") -> None:
        """Count some more."""
        self.lines += run.statements
        self.lines_run += run.statements - len(run.lines)
        self.branches += run.branches
        self.branches_run += run.branches - run.branches_missing

    def __str__(self) -> str:
        """Tell how many there are, and how many of a hundred were run."""
        lines = f"{self.lines:7} lines {_percent(self.lines_run, self.lines):6.1f} %"
        branches = f"{self.branches:6} branches {_percent(self.branches_run, self.branches):6.1f} %"
        return f"{lines} {branches} together {self.percent:6.1f} %"

    @property
    def percent(self) -> float:
        """Lines and branches that were run, of a hundred."""
        return _percent(self.lines_run + self.branches_run, self.lines + self.branches)

    @property
    def shares(self) -> dict[str, float]:
        """Lines that were run, of a hundred, and branches."""
        return {
            "lines": _percent(self.lines_run, self.lines),
            "branches": _percent(self.branches_run, self.branches),
        }


def _percent(run: int, there: int) -> float:
    return 100.0 * run / there if there else 100.0


def looking_on(data: Path | None) -> Coverage:
    """Return who looks on at the core, and keeps what it saw in a file."""
    found = [str(path) for path in pure_files()]
    file = str(data) if data else None
    return Coverage(branch=True, include=found, data_file=file, messages=False)


def measured_tests() -> Coverage:
    """Run the unit tests while looking on."""
    looking = looking_on(None)
    looking.start()
    code = run_tests()
    looking.stop()
    if code:
        sys.stderr.write(f"what was measured failed ({code}): its coverage tells nothing\n")
        raise SystemExit(code)
    return looking


def measured_seeds(count: int, jobs: int) -> tuple[Coverage, list[int]]:
    """Run seeds in some processes while looking on, and return those that break something.

    Every process begins with an empty core.
    """
    fresh = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1)
    with TemporaryDirectory() as folder, fresh as pool:
        seeds = pool.submit(telling, count).result()
        parts = [seeds[first : first + PART] for first in range(0, len(seeds), PART)]
        running = [pool.submit(run_seeds, part, Path(folder)) for part in parts]
        bad = list[int]()
        for done, each in enumerate(as_completed(running), 1):
            bad += each.result()
            sys.stderr.write(f"{min(done * PART, len(seeds))} of {len(seeds)} seeds\n")
        looking = looking_on(None)
        looking.combine([str(each) for each in Path(folder).iterdir()])
        return looking, sorted(bad)


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


def telling(count: int) -> list[int]:
    """Return the seeds below a number that run most of the core, and a few of the others."""
    from tests.simulation.features.settings import rich  # noqa: PLC0415 - not where it is measured
    from tests.simulation.kinds import in_steps  # noqa: PLC0415

    return [seed for seed in range(count) if rich(seed) or in_steps(seed) or seed % ONE_IN == 0]


def run_seeds(seeds: Sequence[int], folder: Path) -> list[int]:
    """Run some seeds and keep what was seen in a folder; return those that break something."""
    logging.getLogger().addHandler(logging.NullHandler())
    looking = looking_on(folder / f"seeds-{seeds[0]}")
    looking.start()
    # Both are measured from their import on.
    from tests.simulation.__main__ import drop_garbage, keep_garbage  # noqa: PLC0415
    from tests.simulation.run import run_seed  # noqa: PLC0415

    keep_garbage()
    bad = []
    for seed in seeds:
        if run_seed(seed).violations:
            bad.append(seed)
        drop_garbage()
    looking.stop()
    looking.save()
    return bad


class Run(Struct, frozen=True, kw_only=True):
    """How much of a file was run."""

    name: str
    statements: int
    lines: Sequence[int]
    """Those that were not run."""
    branches: int
    branches_missing: int

    @property
    def missing(self) -> int:
        """Lines and branches that were not run."""
        return len(self.lines) + self.branches_missing


def runs_in(looking: Coverage) -> Iterator[Run]:
    """Yield what was run of each file of the core."""
    for path in pure_files():
        numbers = looking._analyze(str(path)).numbers  # noqa: SLF001 - branches are nowhere else
        yield Run(
            name=str(path.relative_to(HOME)),
            statements=numbers.n_statements,
            lines=looking.analysis2(str(path))[3],
            branches=numbers.n_branches,
            branches_missing=numbers.n_missing_branches,
        )


def report(runs: Sequence[Run], apart: Mapping[str, str], asked: Namespace) -> int:
    """Print what was run, by package, and the files that lack most; 1 if it is too little."""
    least: float = asked.least
    packages, whole, everything = defaultdict[str, Share](Share), Share(), Share()
    for one in runs:
        everything.add(one)
        if one.name not in apart:
            whole.add(one)
            packages["/".join(one.name.split("/")[:2])].add(one)
    for name, share in sorted(packages.items()):
        sys.stdout.write(f"{name:26} {share}\n")
    sys.stdout.write(f"{'the pure core':26} {whole}\n")
    for name, why in apart.items():
        sys.stdout.write(f"left apart: {name}, which {why}\n")
    if apart:
        sys.stdout.write(f"{'with what is left apart':26} {everything}\n")
    _lacking([one for one in runs if one.name not in apart], asked.files)
    lacking = {name: percent for name, percent in whole.shares.items() if percent < least}
    for name, percent in lacking.items():
        sys.stderr.write(f"{percent:.1f} percent of {name} are less than {least:g}\n")
    return 1 if lacking else 0


def _lacking(runs: Sequence[Run], most: int) -> None:
    sys.stdout.write("\n")
    for one in sorted(runs, key=lambda one: (-one.missing, one.name))[:most]:
        if one.missing:
            sys.stdout.write(f"{one.missing:4} not run in {one.name}: {_some(one.lines)}\n")


def _some(lines: Sequence[int], most: int = 24) -> str:
    more = " ..." if len(lines) > most else ""
    return ", ".join(str(line) for line in lines[:most]) + more


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(prog="tools/core_coverage.py", description=__doc__)
    parser.add_argument("what", choices=("unit", "simulation"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--least", type=float, default=LEAST, help="percent (95)")
    parser.add_argument("--files", type=int, default=WORST, help="how many to name")
    parser.add_argument("--jobs", type=int, default=2, help="processes for seeds (2)")
    args = parser.parse_args()
    sys.path.insert(0, str(HOME))
    if args.what == "unit":
        return report(tuple(runs_in(measured_tests())), {}, args)
    looking, bad = measured_seeds(args.seeds, args.jobs)
    code = report(tuple(runs_in(looking)), APART, args)
    if bad:
        sys.stderr.write(f"these seeds break something: {bad}\n")
    return 1 if bad else code


if __name__ == "__main__":
    sys.exit(main())
