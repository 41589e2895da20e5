"""Questions are asked over real connections: their tests run on real time."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.support.virtual_time import VirtualLoop


@pytest.hookimpl(tryfirst=True)
def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Give tests of questions a loop that waits, and the others one of its own time."""
    return {"own": asyncio.SelectorEventLoop if item.path.stem == "test_questions" else VirtualLoop}
