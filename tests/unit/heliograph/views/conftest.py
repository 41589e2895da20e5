"""Incidents run on virtual time: waiting costs nothing and is never a matter of luck."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.support.virtual_time import VirtualLoop


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Give every test a loop of its own time."""
    return {"virtual": VirtualLoop}
