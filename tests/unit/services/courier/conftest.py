"""A sink and a courier for every test that asks."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.services.courier.sinks import Post, Sink, sink


@pytest.fixture
async def hook() -> AsyncIterator[Sink]:
    """Give a sink that takes everything."""
    async with sink() as one:
        yield one


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[Post]:
    """Give a courier with an empty bus, not yet started."""
    one = Post(tmp_path)
    yield one
    await one.close()
