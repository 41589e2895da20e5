"""Give many mutated manifests to whoever reads what users wrote; nothing may crash.

    python -m tools.fuzz_reading 100000 7            read them
    python -m tools.fuzz_reading 100000 7 --check    judge them, too, every other with open gates

Starts from our examples and, where they are at hand, KubeRay's samples. The same seed gives the
same inputs in the same order. A crash is shown as it is, with the number of the input that did it.
"""

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

from heliograph.views.manifests import documents
from shared.kernel.features import GATES, Features
from shared.kernel.manifests import is_raw, text_at
from shared.resources.problem import Problem
from shared.resources.reading import KINDS, read
from shared.validation.check import check_file, ours
from tools.mutations import mutated

HOME = Path(__file__).resolve().parents[1]
SAMPLES = HOME.parent / "shared" / "data" / "kuberay-samples"
OPEN = Features(enabled=frozenset(GATES))
_LINE_EVERY = 2.0
_PLAIN = 20
"""Small objects are quick to change and to judge: about half of all inputs come from them."""

_CLUSTER: dict[str, object] = {
    "headGroupSpec": {"template": {"spec": {"containers": [{"name": "ray", "image": "ray:2"}]}}},
    "workerGroupSpecs": [
        {
            "groupName": "small",
            "minReplicas": 0,
            "maxReplicas": 3,
            "template": {"spec": {"containers": [{"name": "ray", "image": "ray:2"}]}},
        }
    ],
}
_JOB: dict[str, object] = {"entrypoint": "python run.py", "rayClusterSpec": _CLUSTER}
_SPECS: dict[str, dict[str, object]] = {
    "RayCluster": _CLUSTER,
    "RayJob": _JOB,
    "RayService": {"rayClusterConfig": _CLUSTER, "serveConfigV2": "applications: []"},
    "RayCronJob": {"schedule": "*/5 * * * *", "jobTemplate": _JOB},
}


def good() -> list[dict[str, object]]:
    """Return objects without fault: one of each kind, our examples, and the samples if any."""
    plain: list[dict[str, object]] = [
        {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "a"}, "spec": _SPECS[kind]}
        for kind in KINDS
    ]
    files = (*sorted((HOME / "examples").glob("*.yaml")), *sorted(SAMPLES.rglob("*.yaml")))
    found = [dict(each.content) for path in files for each in documents(path.read_text())]
    return [*plain * _PLAIN, *filter(ours, found)]


def judged(raw: object, features: Features | None) -> tuple[Problem, ...]:
    """Read an object, and judge it if gates are given; return what is wrong."""
    fields = raw if is_raw(raw) else {}
    found = read(text_at(fields, "kind").lower(), fields)
    if features is None:
        return found if isinstance(found, tuple) else ()
    return check_file(raw, features)


def run(count: int, seed: int, *, rules: bool) -> Iterator[tuple[object, tuple[Problem, ...]]]:
    """Yield each input with its problems; what a reader raises goes through."""
    chance, seeds = Random(seed), good()  # noqa: S311 - to be repeated, not to be secret
    gates = cycle((Features(), OPEN) if rules else (None,))
    for number, features in zip(range(1, count + 1), gates, strict=False):
        raw = mutated(chance, seeds)
        try:
            problems = judged(raw, features)
        except (AttributeError, LookupError, RuntimeError, TypeError, ValueError) as crash:
            crash.add_note(f"input {number} of seed {seed}")
            raise
        yield raw, problems


def main(arguments: list[str]) -> int:
    """Run, with a line of progress; return the exit code."""
    parser = ArgumentParser(prog="python -m tools.fuzz_reading", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--check", action="store_true", help="judge by all rules, too")
    args = parser.parse_args(arguments)
    began = told = time.monotonic()
    rules: Counter[str] = Counter()
    fine = 0
    for number, (_, problems) in enumerate(run(args.count, args.seed, rules=args.check), start=1):
        rules.update({problem.rule or "shape" for problem in problems})
        fine += not problems
        if time.monotonic() - told > _LINE_EVERY or number == args.count:
            told = time.monotonic()
            print(f"{number} of {args.count} inputs, {fine} fine, {number / (told - began):.0f}/s")
    of_shape = rules.pop("shape", 0)
    print(f"no crash; {of_shape} of wrong shape, {len(rules)} rules met, seed {args.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
