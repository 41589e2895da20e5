"""Random sequences of API calls, played on the sandbox and on a real control plane.

`python -m tests.contract.kubernetes.sequences --count 1000 --kubeconfig FILE` plays as many; a
difference is shrunk to the shortest sequence that shows it. A small share, always the same, runs in
the suite.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from tests.contract.kubernetes.conformance.calls import (
    APPLY,
    MERGE,
    OPERATIONS,
    STRATEGIC,
    Call,
    Case,
    at,
    delete,
    get,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import WIDGETS, configmap, widget
from tests.contract.kubernetes.conformance.playing import Server, configured, sandboxed

ATTEMPTS = 3
LENGTH_MAX = 12
Strategy = some.SearchStrategy

names = some.sampled_from(["a", "b"])
numbers = some.integers(min_value=-1, max_value=3)
keys = some.sampled_from(["x", "y"])
managers = some.sampled_from(["one", "two"])
words = some.sampled_from(["", "1", "2"])
data = some.dictionaries(keys, words, max_size=2)
labels = some.dictionaries(some.sampled_from(["l", "m"]), words, max_size=2)
groups = some.lists(
    some.fixed_dictionaries({"name": keys}, optional={"size": numbers, "color": words}),
    max_size=2,
    unique_by=lambda group: group["name"],
)
finalizers = some.sampled_from([[], ["x.io/one"], ["x.io/one", "x.io/two"]])
metadata = some.fixed_dictionaries({}, optional={"labels": labels, "finalizers": finalizers})
specs = some.fixed_dictionaries(
    {},
    optional={
        "replicas": numbers,
        "size": some.sampled_from(["small", "big", "huge"]),
        "low": numbers,
        "high": numbers,
        "fixed": words,
        "groups": groups,
        "tags": some.lists(keys, max_size=2),
        "limits": some.dictionaries(keys, numbers, max_size=2),
    },
)


@some.composite
def objects(draw: Callable[[Strategy[Any]], Any], name: str, kind: str) -> Any:
    """Draw a whole object."""
    meta = draw(metadata)
    if kind == "configmaps":
        return configmap(name, metadata=meta, **draw(data))
    return widget(name, metadata=meta, **draw(specs))


@some.composite
def changes(draw: Callable[[Strategy[Any]], Any], kind: str) -> Any:
    """Draw a merge patch."""
    made: dict[str, Any] = {"metadata": draw(metadata)} if draw(some.booleans()) else {}
    if kind == "configmaps":
        made["data"] = draw(some.dictionaries(keys, some.none() | words, max_size=2))
    else:
        made["spec"] = draw(specs)
    return made


@some.composite
def calls(draw: Callable[[Strategy[Any]], Any]) -> Call:
    """Draw one call."""
    kind, name = draw(some.sampled_from(["configmaps", WIDGETS])), draw(names)
    place, here = at(kind), at(kind, name)
    manager = {"fieldManager": draw(managers)}
    verb = draw(some.sampled_from(["create", "update", "merge", "other", "apply", "delete", "get"]))
    if verb == "create":
        return post(place, draw(objects(name, kind)), **manager)
    if verb == "update":
        return put(here, draw(objects(name, kind)), **manager)
    if verb == "merge":
        return patch(here, draw(changes(kind)), MERGE, **manager)
    if verb == "apply":
        force = {"force": "true"} if draw(some.booleans()) else {}
        return patch(here, draw(objects(name, kind)), APPLY, **manager, **force)
    if verb == "delete":
        return delete(here, propagationPolicy="Background")
    return get(here) if verb == "get" else draw(other_patches(kind, here))


@some.composite
def other_patches(draw: Callable[[Strategy[Any]], Any], kind: str, here: str) -> Call:
    """Draw a patch by operations, or a strategic one."""
    if kind == "configmaps" and draw(some.booleans()):
        return patch(here, draw(changes(kind)), STRATEGIC)
    value = {"op": "add", "path": "/metadata/labels", "value": draw(labels)}
    return patch(here, [value], OPERATIONS)


class Both:
    """A sandbox and a real control plane, side by side."""

    def __init__(self, runner: asyncio.Runner, real: Server, ours: Server) -> None:
        self._runner = runner
        self._servers = (real, ours)

    def compare(self, sequence: Sequence[Call]) -> None:
        """Play a sequence on both; fails if they differ three times in a row."""
        case = Case(area="sequence", name="drawn", calls=tuple(sequence))
        answers: list[Any] = []
        for _ in range(ATTEMPTS):
            answers = [self._runner.run(server.play(case)) for server in self._servers]
            if answers[0] == answers[1]:
                return
        for call, real, ours in zip(sequence, *answers, strict=True):
            assert real == ours, call


@contextmanager
def both(kubeconfig: Path) -> Iterator[Both]:
    """Open both servers."""
    with asyncio.Runner() as runner:
        real, ours = configured(kubeconfig), sandboxed()
        try:
            yield Both(runner, runner.run(real.__aenter__()), runner.run(ours.__aenter__()))
        finally:
            runner.run(ours.__aexit__(None, None, None))
            runner.run(real.__aexit__(None, None, None))


def play(kubeconfig: Path, count: int, *, derandomize: bool = False) -> None:
    """Play so many sequences; raises on the first difference, made short."""
    with both(kubeconfig) as pair:

        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            derandomize=derandomize,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(some.lists(calls(), min_size=2, max_size=LENGTH_MAX))
        def alike(sequence: list[Call]) -> None:
            pair.compare(sequence)

        alike()


def main(arguments: Sequence[str]) -> int:
    """Play from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.contract.kubernetes.sequences", description=__doc__
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    options = parser.parse_args(arguments)
    play(options.kubeconfig, options.count)
    print(f"{options.count} sequences, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
