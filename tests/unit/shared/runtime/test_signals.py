"""Signals to a real process: one drains it, two stop it."""

import signal
import subprocess
import sys

import pytest

from shared.runtime.failures import Exit

PROGRAM = """
import asyncio
from datetime import timedelta
from shared.runtime.signals import obeying_signals
from shared.runtime.supervision import Duty, Supervisor

async def main():
    draining, finished = asyncio.Event(), asyncio.Event()

    async def work():
        print("working", flush=True)
        await draining.wait()
        print("draining", flush=True)
        await asyncio.sleep({needs})
        print("drained", flush=True)

    supervisor = Supervisor(drain_timeout=timedelta(seconds=60))
    with obeying_signals(supervisor):
        duty = Duty(service="test", name="work", run=work, drain=draining.set)
        return await supervisor.run([duty])

raise SystemExit(asyncio.run(main()))
"""


def talk(needs: float, *numbers: signal.Signals) -> tuple[int, list[str]]:
    """Start the program, send a signal after each of its lines, return how it ended."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(needs=needs)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for number in numbers:
            lines.append(process.stdout.readline().strip())
            process.send_signal(number)
        rest, _ = process.communicate(timeout=30)
    return process.returncode, [*lines, *rest.split()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_first_signal_drains(number: signal.Signals) -> None:
    assert talk(0, number) == (Exit.DONE, ["working", "draining", "drained"])


def test_the_second_signal_stops_at_once() -> None:
    ended = talk(600, signal.SIGTERM, signal.SIGTERM)

    assert ended == (Exit.HURRIED, ["working", "draining"])
