"""A sandbox whose pods really run; no Ray is needed."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from sandbox.ray.machine import open_machine
from sandbox.server import serve
from tests.support.realray import descendants


@pytest.fixture
def ray(tmp_path: Path) -> Path:
    """A Python environment in which `ray` does nothing."""
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    (programs / "ray").touch(mode=0o755)
    (programs / "python").symlink_to(Path(sys.executable).resolve())
    return tmp_path / "environment"


@pytest.fixture
async def api(ray: Path, request: pytest.FixtureRequest) -> AsyncIterator[aiohttp.ClientSession]:
    """A sandbox whose pods really run; nothing of them runs afterwards."""
    before = set(descendants(os.getpid()))
    sandbox = await serve()
    sandbox.run_pods_on(await open_machine(ray, getattr(request, "param", None)))
    try:
        async with aiohttp.ClientSession(sandbox.url) as session:
            yield session
    finally:
        await sandbox.close()
    assert not set(descendants(os.getpid())) - before
