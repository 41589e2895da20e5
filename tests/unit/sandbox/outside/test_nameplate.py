"""Whose door a node names: ours where there is none or a shut one, never a stranger's."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sandbox.objects import Object, dig
from sandbox.outside.nameplate import PORT, is_free, plate, put_up

OURS = 40_000
BARE: Object = {"metadata": {"name": "n"}, "status": {"conditions": [{"type": "Ready"}]}}


def named(port: int) -> Object:
    return {"metadata": {"name": "n"}, "status": plate(port)}


@pytest.fixture
async def answered() -> AsyncIterator[int]:
    """The port of somebody who answers."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    yield int(server.sockets[0].getsockname()[1])
    server.close()
    await server.wait_closed()


async def test_a_node_without_a_door_gets_ours() -> None:
    assert await is_free(BARE, OURS)
    assert not await is_free(named(OURS), OURS)


async def test_a_node_keeps_the_door_of_one_who_answers(answered: int) -> None:
    assert not await is_free(named(answered), OURS)


async def test_a_node_whose_door_is_shut_gets_ours() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = int(server.sockets[0].getsockname()[1])
    server.close()
    await server.wait_closed()

    assert await is_free(named(port), OURS)


async def test_a_node_of_another_machine_is_left_alone() -> None:
    far = [{"type": "InternalIP", "address": "10.0.0.1"}]

    assert not await is_free({"status": {"addresses": far}}, OURS)


def test_the_rest_of_the_status_stays() -> None:
    node = put_up(BARE, OURS).object

    assert node["status"]["conditions"] == BARE["status"]["conditions"]
    assert dig(node, PORT) == OURS
