"""A service's own address, asked by a pod: new connections follow the service, old ones stay."""

import aiohttp
import pytest

from sandbox.objects import Object
from sandbox.ray.permission import refusal
from tests.unit.sandbox.ray.pods import (
    PODS,
    SERVICES,
    WHOEVER,
    ask,
    create,
    phase,
    ready,
    run_pod,
    shell,
    until,
)

pytestmark = [
    pytest.mark.skipif(bool(refusal()), reason=refusal() or "permitted"),
    pytest.mark.xdist_group("real pods"),
]
SERVER = """
import http.server, socket

class Says(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = socket.gethostname().encode() * SIZE
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("", 8080), Says).serve_forever()
"""
CLIENT = """
import http.client, time

def connect():
    return http.client.HTTPConnection("web.default.svc", 80, timeout=10)

def ask(connection):
    try:
        connection.request("GET", "/")
        return connection.getresponse().read().decode()
    except ConnectionRefusedError:
        return "refused"

def until(wanted):
    while (told := ask(connect())) != wanted:
        time.sleep(0.1)
    return told

kept = connect()
print(ask(kept), flush=True)
for wanted in ("new", "refused", "old"):
    print(until(wanted), ask(kept), flush=True)
"""
ENDLESS = """
import http.client, time

kept = http.client.HTTPConnection("web", 80, timeout=10)
while True:
    try:
        kept.request("GET", "/")
        print(kept.getresponse().read().decode(), flush=True)
    except (http.client.RemoteDisconnected, ConnectionError):
        print("the connection ended")
        break
    time.sleep(0.05)
"""
READY = {"readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1}}


def python(script: str, **more: object) -> Object:
    return shell('exec python -c "$CODE"', env=[{"name": "CODE", "value": script}], **more)


async def serving(api: aiohttp.ClientSession, *names: str, size: int = 1) -> None:
    """Run pods that say their name so many times, and wait until they do."""
    for name in names:
        await run_pod(api, name, python(SERVER.replace("SIZE", str(size)), **READY))
    for name in names:
        await until(lambda name=name: ready(api, name))  # type: ignore[misc]


def web(behind: str) -> Object:
    ports = [{"port": 80, "targetPort": 8080}]
    return {"metadata": {"name": "web"}, "spec": {"selector": {"app": behind}, "ports": ports}}


async def lead(api: aiohttp.ClientSession, behind: str) -> None:
    kind = {"Content-Type": "application/merge-patch+json"}
    change = {"spec": {"selector": {"app": behind}}}
    async with api.patch(f"{SERVICES}/web", json=change, headers=kind) as answer:
        assert answer.status == 200


async def heard(api: aiohttp.ClientSession, count: int) -> None:
    """Wait until the client has said so many lines."""

    async def enough() -> bool:
        async with api.get(f"{PODS}/client/log") as answer:
            return answer.ok and len((await answer.text()).splitlines()) >= count

    await until(enough)


@pytest.mark.parametrize("api", WHOEVER, indirect=True, ids=str)
async def test_new_connections_follow_the_service_and_old_ones_stay(
    api: aiohttp.ClientSession,
) -> None:
    await serving(api, "old", "new")
    await create(api, SERVICES, web("old"))
    await run_pod(api, "client", python(CLIENT))

    for number, behind in enumerate(("new", "nobody", "old"), 1):
        await heard(api, number)
        await lead(api, behind)
    await phase(api, "client", "Succeeded")

    assert await ask(api, f"{PODS}/client/log") == "old\nnew old\nrefused old\nold old\n"


async def test_long_answers_come_whole(api: aiohttp.ClientSession) -> None:
    size = 3_000_000
    await serving(api, "old", size=size)
    await create(api, SERVICES, web("old"))
    asks = "import urllib.request as u; print(len(u.urlopen('http://web').read()))"
    await run_pod(api, "client", python(asks))

    await phase(api, "client", "Succeeded", "Failed")

    assert await ask(api, f"{PODS}/client/log") == f"{3 * size}\n"


async def test_a_connection_ends_with_its_pod(api: aiohttp.ClientSession) -> None:
    await serving(api, "old")
    await create(api, SERVICES, web("old"))
    await run_pod(api, "client", python(ENDLESS))
    await heard(api, 1)

    async with api.delete(f"{PODS}/old", params={"gracePeriodSeconds": "0"}):
        await phase(api, "client", "Succeeded", "Failed")

    assert (await ask(api, f"{PODS}/client/log")).endswith("the connection ended\n")


async def test_a_pod_knows_every_service_from_its_first_moment(api: aiohttp.ClientSession) -> None:
    await create(api, SERVICES, web("nobody"))
    asks = "import socket; print(socket.gethostbyname('web.default.svc.cluster.local'))"
    await run_pod(api, "client", python(asks))

    await phase(api, "client", "Succeeded", "Failed")

    told = await ask(api, f"{PODS}/client/log")
    assert told.startswith("10.96."), told
