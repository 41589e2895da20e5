"""Plays cases on a server and returns its masked answers.

Every case has a namespace of its own, so that many can be played at once. Read next: calls.py for
what a case is, masks.py for what is left of an answer.
"""

import asyncio
import json
import os
import re
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import aiohttp
import msgspec
import yaml

from sandbox.controllers.scenario import Scenario
from sandbox.server import serve
from tests.contract.kubernetes.conformance.calls import NOBODY, Call, Case
from tests.contract.kubernetes.conformance.definitions import DEFINITIONS
from tests.contract.kubernetes.conformance.masks import Masks

AT_ONCE = 6
PATIENCE = 60.0
LOOK_EVERY = 0.05
CLIENT = "conformance"
TOKEN = "the-administrator"
REFERENCE = re.compile(r"\$(\d+)\.([A-Za-z0-9_.]+)")
_NUMBERS = count(1)


class Server:
    """A server to play on; `settles` says that its controllers prepare new namespaces.

    The administrator has a session of his own: who has a token must not show a certificate.
    """

    def __init__(
        self,
        admin: aiohttp.ClientSession,
        others: aiohttp.ClientSession,
        name: str,
        *,
        settles: bool,
        at_once: int = AT_ONCE,
    ) -> None:
        self.name = name
        self._admin = admin
        self._others = others
        self._settles = settles
        self._places = asyncio.Semaphore(at_once)

    async def play(self, case: Case) -> list[Any]:
        """Play one case; return its masked answers."""
        async with self._places:
            namespace = f"case-{os.getpid()}-{next(_NUMBERS)}"
            await self._prepare(namespace)
            masks = Masks(namespace)
            answers: list[Any] = []
            raw: list[Any] = []
            for call in case.calls:
                answer = await self.ask(_filled(call, namespace, raw))
                raw.append(answer["body"])
                answers.append(_part(masks.masked(answer), call.only))
            return answers

    async def play_all(self, cases: Iterable[Case]) -> dict[str, list[Any]]:
        """Play many cases side by side."""
        chosen = list(cases)
        played = await asyncio.gather(*(self.play(case) for case in chosen))
        return {case.key: answers for case, answers in zip(chosen, played, strict=True)}

    async def ask(self, call: Call) -> dict[str, Any]:
        """Send one request, again and again if it waits for a code."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + PATIENCE
        answer = await self._sent(call)
        while call.until and answer["code"] != call.until and loop.time() < ends_at:
            await asyncio.sleep(LOOK_EVERY)
            answer = await self._sent(call)
        return answer

    async def _prepare(self, namespace: str) -> None:
        made = Call(
            method="POST", path="/api/v1/namespaces", body={"metadata": {"name": namespace}}
        )
        assert (await self.ask(made))["code"] == 201
        if self._settles:
            account = f"/api/v1/namespaces/{namespace}/serviceaccounts/default"
            await self.ask(Call(method="GET", path=account, until=200))

    async def _sent(self, call: Call) -> dict[str, Any]:
        headers = {"Accept": call.accept, "User-Agent": f"{CLIENT}/1.0"}
        session = self._others if call.bearer else self._admin
        if call.bearer not in {"", NOBODY}:
            headers["Authorization"] = f"Bearer {call.bearer}"
        data = None
        if call.body is not None:
            headers["Content-Type"] = call.media
            data = call.body.encode() if call.raw else json.dumps(call.body).encode()
        async with session.request(
            call.method, call.path, params=dict(call.query), data=data, headers=headers
        ) as response:
            text = await response.text()
            return _answer(response, text, lines=call.query.get("watch") == "true")


def _answer(response: aiohttp.ClientResponse, text: str, *, lines: bool) -> dict[str, Any]:
    body: Any = text
    if response.content_type == "application/json":
        streamed = lines and response.status == 200
        body = [json.loads(each) for each in text.splitlines()] if streamed else json.loads(text)
    warnings = response.headers.getall("Warning", [])
    return {"code": response.status, "body": body, **({"warnings": warnings} if warnings else {})}


def _part(answer: dict[str, Any], path: str) -> dict[str, Any]:
    """Leave one part of the body; the code that counts is that of HTTP, whatever the body says."""
    if not path:
        return answer
    found: Any = answer["body"]
    for step in path.split("/" if "/" in path else "."):
        found = _step(found, step)
    rest = {name: value for name, value in answer.items() if name != "body"}
    return {path: found, **rest}


def _step(found: Any, step: str) -> Any:
    """Go one step down; `name=value` finds the item of a list that has it, in metadata or not."""
    if isinstance(found, Mapping):
        return found.get(step)
    if isinstance(found, list) and step.isdigit():
        return found[int(step)] if int(step) < len(found) else None
    name, _, value = step.partition("=")
    for item in found if isinstance(found, list) else ():
        if value in {item.get(name), (item.get("metadata") or {}).get(name)}:
            return item
    return None


def _filled(call: Call, namespace: str, answers: list[Any]) -> Call:
    """Put values in the place of `$ns` and of references to earlier answers."""

    def found(match: re.Match[str]) -> str:
        value: Any = answers[int(match.group(1))]
        for step in match.group(2).split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        return str(value)

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return REFERENCE.sub(found, value.replace("$ns", namespace))
        if isinstance(value, Mapping):
            return {fill(key): fill(item) for key, item in value.items()}
        return [fill(item) for item in value] if isinstance(value, list) else value

    return msgspec.structs.replace(
        call,
        path=fill(call.path),
        query=fill(call.query),
        body=fill(call.body),
        bearer=fill(call.bearer),
    )


@asynccontextmanager
async def sandboxed(*, at_once: int = AT_ONCE) -> AsyncIterator[Server]:
    """Open a sandbox in this process, whose pods never start: no kubelet, as on the real one."""
    scenario = Scenario(kubelet=False)
    sandbox = await serve(token=TOKEN, scenario=scenario)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        async with (
            aiohttp.ClientSession(sandbox.url, headers=headers) as admin,
            aiohttp.ClientSession(sandbox.url) as others,
        ):
            server = Server(admin, others, "sandbox", settles=False, at_once=at_once)
            await define(server, DEFINITIONS)
            yield server
    finally:
        await sandbox.close()


@asynccontextmanager
async def configured(
    kubeconfig: Path, *, settles: bool = True, at_once: int = AT_ONCE
) -> AsyncIterator[Server]:
    """Open the server of a kubeconfig whose user is an administrator with a certificate.

    Who makes no pods need not wait until a namespace has settled.
    """
    config = yaml.safe_load(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = b64decode(cluster["certificate-authority-data"]).decode()
    nobody = ssl.create_default_context(cadata=authority)
    admin = ssl.create_default_context(cadata=authority)
    with NamedTemporaryFile() as pair:
        for part in ("client-certificate-data", "client-key-data"):
            pair.write(b64decode(user[part]) + b"\n")
        pair.flush()
        admin.load_cert_chain(pair.name)
    url = cluster["server"]
    async with (
        aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(ssl=admin)) as one,
        aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(ssl=nobody)) as other,
    ):
        server = Server(one, other, "real", settles=settles, at_once=at_once)
        await define(server, DEFINITIONS)
        yield server


async def define(server: Server, definitions: Iterable[Any]) -> None:
    """Bring custom kinds, and wait until they are served."""
    for definition in definitions:
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        made = await server.ask(Call(method="POST", path=path, body=definition))
        assert made["code"] in {201, 409}, made
        spec = definition["spec"]
        kind = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        await server.ask(Call(method="GET", path=kind, until=200))
