"""Tokens of pages: what is written is read again, and a late comer gets one that goes on."""

import pytest

from sandbox.errors import ApiError
from sandbox.pages import NOW, Token, after, read, too_late, written


@pytest.mark.parametrize(
    ("key", "namespace", "start"),
    [
        (("ray", "a"), "ray", "a\0"),
        (("ray", "a"), "", "ray/a\0"),
        (("", "node"), "", "node\0"),
    ],
)
def test_a_token_leads_to_what_comes_after_a_key(
    key: tuple[str, str], namespace: str, start: str
) -> None:
    token = read(after(7, key, namespace))

    assert token == Token(revision=7, start=start)
    assert key < token.key(namespace) < (key[0], f"{key[1]}-")


def test_reads_the_tokens_of_the_api_server() -> None:
    text = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NzAxLCJzdGFydCI6Ii9hXHUwMDAwIn0"

    assert read(text) == Token(revision=701, start="/a\0")
    assert read(text).key("ns") == ("ns", "a\0")


def test_who_is_too_late_may_go_on_without_a_revision() -> None:
    refused = too_late(Token(revision=1, start="/a\0"))

    assert (refused.code, refused.reason) == (410, "Expired")
    assert read(refused.status["metadata"]["continue"]) == Token(revision=NOW, start="a\0")


@pytest.mark.parametrize(
    "text",
    ["%%%", "melt", written(Token(revision=0, start="a")), written(Token(revision=1, start=""))],
)
def test_refuses_what_names_no_place(text: str) -> None:
    with pytest.raises(ApiError, match="continue key is not valid"):
        read(text)
