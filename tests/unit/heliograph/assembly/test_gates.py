"""Gates that need a newer Kubernetes stop the start, with one sentence."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from aiohttp import web

from heliograph.assembly.gates import check_gates
from shared.kernel.features import Features, parse_features
from shared.kube.credentials import Source
from shared.kube.session import Session, connect
from shared.runtime.failures import FatalError

OPEN = parse_features("SidecarSubmitterRestart=true")


@asynccontextmanager
async def kubernetes(folder: Path, version: object) -> AsyncIterator[Session]:
    """Run a server that says which version it is, and nothing else."""

    async def answer(_: web.Request) -> web.Response:
        return web.json_response(version)

    app = web.Application()
    app.router.add_get("/version", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server = f"http://127.0.0.1:{runner.addresses[0][1]}"
    config = {
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (folder / "config").write_text(yaml.safe_dump(config))
    try:
        async with await connect(Source(kubeconfig=str(folder / "config"))) as session:
            yield session
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("minor", ["35", "35+", "37"])
async def test_a_cluster_that_is_new_enough_will_do(tmp_path: Path, minor: str) -> None:
    async with kubernetes(tmp_path, {"major": "1", "minor": minor}) as session:
        await check_gates(session, OPEN)


async def test_an_older_one_is_told_of_with_the_way_out(tmp_path: Path) -> None:
    async with kubernetes(tmp_path, {"major": "1", "minor": "34+"}) as session:
        with pytest.raises(FatalError) as refused:
            await check_gates(session, OPEN)
        await check_gates(session, Features())

    assert str(refused.value) == (
        "feature gate SidecarSubmitterRestart needs Kubernetes 1.35 or newer, and this is 1.34: "
        "set SidecarSubmitterRestart=false (--feature-gates)"
    )


async def test_a_server_that_does_not_say_is_not_trusted(tmp_path: Path) -> None:
    async with kubernetes(tmp_path, ["1.37"]) as session:
        with pytest.raises(FatalError, match="does not say which version it is"):
            await check_gates(session, OPEN)
