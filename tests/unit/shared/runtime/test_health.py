"""Health over HTTP: what is asked, what is answered, and a port that is taken."""

import re

import aiohttp
import pytest

from shared.runtime.failures import FatalError
from shared.runtime.health import Health, Report, serving_health

HERE = "127.0.0.1"


async def get(port: int, path: str) -> tuple[int, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://{HERE}:{port}{path}") as answer,
    ):
        return answer.status, await answer.text()


def test_without_checks_all_is_well() -> None:
    assert Health().alive() == Report(ok=True, checks={})


def test_one_failing_check_is_enough_and_all_are_told() -> None:
    health = Health()
    health.add_ready("bus", lambda: None)
    health.add_ready("sync", lambda: "pods are not listed yet")

    assert health.ready() == Report(
        ok=False, checks={"bus": "ok", "sync": "pods are not listed yet"}
    )
    assert health.alive() == Report(ok=True, checks={})


async def test_probes_are_answered_with_reasons() -> None:
    health = Health()
    health.add_alive("loop", lambda: None)
    health.add_ready("bus", lambda: "not connected")

    async with serving_health(health, host=HERE, port=0) as port:
        assert await get(port, "/healthz") == (200, '{"ok":true,"checks":{"loop":"ok"}}')
        assert await get(port, "/readyz") == (503, '{"ok":false,"checks":{"bus":"not connected"}}')


async def test_metrics_are_served_as_text() -> None:
    async with serving_health(Health(), host=HERE, port=0) as port:
        status, text = await get(port, "/metrics")

    assert status == 200
    assert "# TYPE heliograph_task_restarts_total counter" in text


async def test_a_taken_port_is_told_with_what_to_do() -> None:
    async with serving_health(Health(), host=HERE, port=0) as port:
        told = f"port {port} is taken by another process: choose another with --http-port"
        with pytest.raises(FatalError, match=re.escape(told)):
            async with serving_health(Health(), host=HERE, port=port):
                pytest.fail("two servers on one port")
