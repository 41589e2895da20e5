"""What is left of an answer: enough to tell one server from another."""

import asyncio
from typing import Any

from tests.contract.kubernetes.conformance.calls import Call, Case, at, get, only, post
from tests.contract.kubernetes.conformance.definitions import configmap
from tests.contract.kubernetes.conformance.playing import sandboxed


def played(*calls: Call) -> list[Any]:
    async def play() -> list[Any]:
        async with sandboxed() as server:
            return await server.play(Case(area="playing", name="one", calls=calls))

    return asyncio.run(play())


def test_the_code_of_http_is_kept_where_no_more_is_compared() -> None:
    answers = played(
        only("code", post(at("configmaps"), configmap("c"))),
        only("code", get(at("configmaps", "c"))),
        only("code", get(at("configmaps", "d"))),
    )

    assert answers == [{"code": 201}, {"code": 200}, {"code": 404}]


def test_a_part_of_the_body_stands_beside_the_code_and_the_warnings() -> None:
    odd = {**configmap("c", a="1"), "typo": 1}

    (answer,) = played(only("data", post(at("configmaps"), odd)))

    assert (answer["code"], answer["data"]) == (201, {"a": "1"})
    assert answer["warnings"] == ['299 - "unknown field \\"typo\\""']
