"""A sandbox over HTTP and a client for it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from sandbox.server import RunningSandbox, serve
from tests.unit.sandbox.widgets import widget_definition

Opened = Callable[..., Any]


@asynccontextmanager
async def opened(**options: Any) -> AsyncIterator[tuple[RunningSandbox, aiohttp.ClientSession]]:
    sandbox = await serve(crds=[widget_definition()], **options)
    try:
        async with aiohttp.ClientSession(sandbox.url) as session:
            yield sandbox, session
    finally:
        await sandbox.close()


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait for what only shows from outside."""
    async with asyncio.timeout(10):
        while not await holds():  # noqa: ASYNC110 - there is nobody to tell us
            await asyncio.sleep(0.05)


@pytest.fixture
def open_sandbox() -> Opened:
    return opened


@pytest.fixture
async def served() -> AsyncIterator[tuple[RunningSandbox, aiohttp.ClientSession]]:
    async with opened() as both:
        yield both
