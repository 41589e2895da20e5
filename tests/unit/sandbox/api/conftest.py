"""A sandbox over HTTP and a client for it."""

from collections.abc import AsyncIterator, Callable
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


@pytest.fixture
def open_sandbox() -> Opened:
    return opened


@pytest.fixture
async def served() -> AsyncIterator[tuple[RunningSandbox, aiohttp.ClientSession]]:
    async with opened() as both:
        yield both
