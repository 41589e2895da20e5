"""Run one coroutine to its end on virtual time."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.support.virtual_time import VirtualLoop

Answer = TypeVar("Answer")


def run_virtually(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Return what the coroutine returns; its waiting takes no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
