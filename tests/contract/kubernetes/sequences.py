"""Random sequences of API calls, played on the sandbox and on a real control plane.

`python -m tests.contract.kubernetes.sequences --count 10000 --kubeconfig FILE` plays as many, drawn
by hypothesis in batches; a batch is drawn again by its number (`--seed`). A difference is shrunk to
the shortest sequence that shows it. A small share, always the same, runs in the suite.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.contract.kubernetes.conformance.calls import Call, Case
from tests.contract.kubernetes.conformance.playing import Server, configured, sandboxed
from tests.contract.kubernetes.drawing import drawn

ATTEMPTS = 3
AT_ONCE = 32
BATCH = 250
SHOWN_MAX = 5
ABSENT = "(nothing)"


class Difference(Struct, frozen=True):
    """A sequence whose answers differ: its calls until they part, and both answers."""

    calls: tuple[Call, ...]
    real: Any
    ours: Any

    @property
    def where(self) -> tuple[str, ...]:
        """The places of the answers that differ."""
        return tuple(place for place, _, _ in _apart(self.real, self.ours, ""))

    def told(self) -> str:
        """Show it as lines."""
        lines = [_line(call) for call in self.calls]
        for place, real, ours in _apart(self.real, self.ours, ""):
            lines += [f"    {place}", f"      real: {real}", f"      ours: {ours}"]
        return "\n".join(lines)


class Both:
    """A sandbox and a real control plane, side by side."""

    def __init__(self, real: Server, ours: Server) -> None:
        self._servers = (real, ours)

    async def compare(self, sequence: Sequence[Call]) -> Difference | None:
        """Play a sequence on both; they differ if they do so three times in a row."""
        case = Case(area="sequence", name="drawn", calls=tuple(sequence))
        answers: list[Any] = []
        for _ in range(ATTEMPTS):
            answers = [await server.play(case) for server in self._servers]
            if answers[0] == answers[1]:
                return None
        pairs = enumerate(zip(*answers, strict=True), start=1)
        end, (real, ours) = next((end, pair) for end, pair in pairs if pair[0] != pair[1])
        return Difference(case.calls[:end], real, ours)

    async def shortest(self, found: Difference) -> Difference:
        """Leave out calls as long as the sequence still shows a difference."""
        index = 0
        while index < len(found.calls):
            less = await self.compare((*found.calls[:index], *found.calls[index + 1 :]))
            found, index = (less, 0) if less else (found, index + 1)
        return found


@asynccontextmanager
async def both(kubeconfig: Path) -> AsyncIterator[Both]:
    """Open both servers."""
    async with (
        configured(kubeconfig, settles=False, at_once=AT_ONCE) as real,
        sandboxed(at_once=AT_ONCE) as ours,
    ):
        yield Both(real, ours)


async def differences(pair: Both, sequences: Sequence[Sequence[Call]]) -> list[Difference]:
    """Play many side by side; return what differs, made short."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(sequence: Sequence[Call]) -> Difference | None:
        async with slots:
            return await pair.compare(sequence)

    found = [each for each in await asyncio.gather(*map(one, sequences)) if each]
    sorts = {each.where: each for each in found}
    return [await pair.shortest(each) for each in list(sorts.values())[:SHOWN_MAX]]


async def play(kubeconfig: Path, count: int, number: int = 0) -> list[Difference]:
    """Play so many sequences, in batches; show differences, and stop when there are enough."""
    played = 0
    found: list[Difference] = []
    async with both(kubeconfig) as pair:
        while played < count and len(found) < SHOWN_MAX:
            batch = drawn(min(BATCH, count - played), number)
            differing = await differences(pair, batch)
            for each in differing:
                print(each.told(), end="\n\n", flush=True)
            found += differing
            played, number = played + len(batch), number + 1
            print(f"{played} of {count} sequences, {len(found)} differ", file=sys.stderr)
    return found


def _apart(real: Any, ours: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(real, dict) and isinstance(ours, dict):
        for name in sorted(real.keys() | ours.keys()):
            yield from _apart(real.get(name, ABSENT), ours.get(name, ABSENT), f"{place}.{name}")
    elif real != ours:
        yield place, json.dumps(real), json.dumps(ours)


def _line(call: Call) -> str:
    query = "&".join(f"{name}={value}" for name, value in call.query.items())
    sort = call.media.removeprefix("application/") if call.method == "PATCH" else ""
    return f"  {call.method} {call.path}?{query} {sort} {json.dumps(call.body)}"


def main(arguments: Sequence[str]) -> int:
    """Play from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.contract.kubernetes.sequences", description=__doc__
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first batch")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    options = parser.parse_args(arguments)
    found = asyncio.run(play(options.kubeconfig, options.count, options.seed))
    if not found:
        print(f"{options.count} sequences, no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
