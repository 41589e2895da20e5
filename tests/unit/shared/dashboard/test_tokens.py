"""Tokens from Secrets: found, or told to be missing without a word of what is there."""

from base64 import b64encode
from collections.abc import Mapping

import pytest

from shared.dashboard.tokens import SecretTokens
from shared.ports.dashboard import DashboardFailed, Failure


def tokens_of(secret: Mapping[str, object] | None) -> SecretTokens:
    async def find(namespace: str, name: str) -> Mapping[str, object] | None:
        assert (namespace, name) == ("prod", "demo")
        return secret

    return SecretTokens(find)


def secret(value: bytes) -> Mapping[str, object]:
    return {"data": {"auth_token": b64encode(value).decode()}}


async def test_a_token_is_read_without_the_line_end_that_files_have() -> None:
    assert await tokens_of(secret(b"abc\n"))("prod", "demo") == "abc"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (None, "failed to get auth secret prod/demo: not found"),
        ({}, "auth token key 'auth_token' not found in secret prod/demo"),
        ({"data": {"other": "eA=="}}, "auth token key 'auth_token' not found in secret prod/demo"),
        (
            {"data": {"auth_token": "!hidden!"}},
            "key 'auth_token' of secret prod/demo holds no token",
        ),
        (secret(b"\xff\xfe"), "key 'auth_token' of secret prod/demo holds no token"),
    ],
)
async def test_what_is_missing_is_told_by_name(
    found: Mapping[str, object] | None, told: str
) -> None:
    with pytest.raises(DashboardFailed) as failed:
        await tokens_of(found)("prod", "demo")

    assert str(failed.value) == told
    assert failed.value.failure is Failure.UNAUTHORIZED
