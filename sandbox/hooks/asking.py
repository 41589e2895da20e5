"""Asks one webhook over HTTPS, within the time it has.

A webhook is reached by its URL. One behind a service is not: pods of the sandbox do not listen, so
it has no endpoints, as the API server would say. Read next: gate.py.
"""

import asyncio
import ssl
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

import aiohttp
import msgspec

from sandbox.hooks.matching import Hook
from sandbox.hooks.questions import NoAnswerError
from sandbox.objects import Object

SECONDS = 10
OK = 200


async def ask(hook: Hook, body: Object) -> object:
    """Return what a webhook says; raises `NoAnswerError` in words for people."""
    seconds = int(hook.told.get("timeoutSeconds") or SECONDS)
    config: Mapping[str, Any] = hook.told.get("clientConfig") or {}
    url = f"{_address(config)}?timeout={seconds}s"
    try:
        async with asyncio.timeout(seconds):
            return await _posted(url, config, body)
    except TimeoutError:
        raise NoAnswerError(f'Post "{url}": context deadline exceeded') from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise NoAnswerError(f'Post "{url}": {error}') from error


async def _posted(url: str, config: Mapping[str, Any], body: Object) -> object:
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=body, ssl=_trust(config.get("caBundle"))) as answer,
    ):
        data = await answer.read()
        if answer.status != OK:
            raise NoAnswerError(f'the server answered "{answer.status} {answer.reason}"')
        return msgspec.json.decode(data)


def _address(config: Mapping[str, Any]) -> str:
    if url := config.get("url"):
        return str(url)
    service = config.get("service") or {}
    raise NoAnswerError(f'no endpoints available for service "{service.get("name", "")}"')


def _trust(bundle: object) -> ssl.SSLContext:
    if not bundle:
        return ssl.create_default_context()
    try:
        return ssl.create_default_context(cadata=b64decode(str(bundle)).decode())
    except (NotBase64, ssl.SSLError, UnicodeDecodeError) as error:
        raise NoAnswerError(f"unable to load root certificates: {error}") from error
