"""The kubelet's door: what a container printed, refusals in plain text, and who gets in."""

import shutil
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from sandbox.containerlogs import ContainerLogs
from sandbox.controllers.index import Index
from sandbox.controllers.scenario import LogLines, PodRule, Scenario
from sandbox.dashboard.fleet import Fleet
from sandbox.objects import Object
from sandbox.outside.certificate import NoCertificateError, make_context
from sandbox.outside.door import KubeletDoor
from tests.unit.sandbox.widgets import NOON
from tools.realkube.certificates import ADMIN, make_certificates

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
TALK = Scenario(otherwise=PodRule(logs=(LogLines(lines=("one", "two"), every=0.0),)))
POD: Object = {
    "metadata": {"name": "p", "namespace": "ns"},
    "spec": {"containers": [{"name": "main"}, {"name": "late"}]},
    "status": {
        "containerStatuses": [
            {"name": "main", "state": {"running": {"startedAt": "2030-01-01T11:00:00Z"}}},
            {"name": "late", "state": {"waiting": {"reason": "ContainerCreating"}}},
        ]
    },
}


@asynccontextmanager
async def opened(authority: bytes = b"") -> AsyncIterator[KubeletDoor]:
    def find(*name: str) -> Object | None:
        return POD if name == ("ns", "p") else None

    index = Index()
    fleet = Fleet(index, lambda _: None)
    door = KubeletDoor(ContainerLogs(find, fleet, lambda: NOON, lambda: TALK))
    await door.open(authority)
    try:
        yield door
    finally:
        await door.close()


async def said(
    door: KubeletDoor, path: str, trust: ssl.SSLContext | None = None, **query: str
) -> tuple[int, str]:
    url = f"https://127.0.0.1:{door.port}/containerLogs/{path}"
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, ssl=trust or False, params=query) as answer,
    ):
        return answer.status, await answer.text()


@needs_openssl
async def test_gives_out_what_a_container_printed() -> None:
    async with opened() as door:
        assert await said(door, "ns/p/main") == (200, "one\ntwo\n")
        assert await said(door, "ns/p/main", tailLines="1") == (200, "two\n")


@needs_openssl
@pytest.mark.parametrize(
    ("path", "query", "answer"),
    [
        ("ns/none/main", {}, (404, 'pod "none" does not exist')),
        ("ns/p/none", {}, (404, 'container "none" not found in pod "p"')),
        ("ns/p/main", {"tailLines": "x"}, (400, '{"message": "Unable to decode query."}')),
        ("ns/p/main", {"tailLines": "-1"}, (422, '{"message": "Invalid request."}')),
        (
            "ns/p/late",
            {},
            (400, 'container "late" in pod "p" is waiting to start: ContainerCreating'),
        ),
    ],
)
async def test_refuses_in_plain_text(
    path: str, query: dict[str, str], answer: tuple[int, str]
) -> None:
    async with opened() as door:
        assert await said(door, path, None, **query) == answer


@needs_openssl
async def test_lets_in_whom_the_authority_of_the_cluster_vouches_for(tmp_path: Path) -> None:
    made = make_certificates(tmp_path / "certificates")
    known = ssl.create_default_context()
    known.check_hostname, known.verify_mode = False, ssl.CERT_NONE
    known.load_cert_chain(made.certificate(ADMIN), made.key(ADMIN))
    async with opened(Path(made.authority).read_bytes()) as door:
        assert (await said(door, "ns/p/main", known))[0] == 200
        with pytest.raises(aiohttp.ClientError):
            await said(door, "ns/p/main")


def test_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Sequence[Any]) -> None:
        return None

    monkeypatch.setattr(shutil, "which", nothing)

    with pytest.raises(NoCertificateError, match="no openssl"):
        make_context(b"")
