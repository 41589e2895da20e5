"""SIGTERM and SIGINT to a supervisor.

The first asks to drain, the second to stop at once; after that the system's own answer is back, so
a third ends even a process that hangs.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from shared.runtime.supervision import Supervisor

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def obeying_signals(supervisor: Supervisor) -> Iterator[None]:
    """Pass signals on while the block runs."""
    loop = asyncio.get_running_loop()

    def obey(number: signal.Signals) -> None:
        asked_before = supervisor.stopping
        supervisor.stop(f"{number.name} received")
        if asked_before:
            release()

    def release() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    for number in _SIGNALS:
        loop.add_signal_handler(number, obey, number)
    try:
        yield
    finally:
        release()
