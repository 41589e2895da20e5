"""The AsyncAPI document is one: a reader of AsyncAPI 3.0.0 can use it."""

import copy
from typing import Any

import jsonschema_rs
import pytest
import yaml

from tests.support.asyncapi import complaints
from tools.generate_events import FOLDER


@pytest.fixture(scope="module")
def whole() -> Any:
    text = (FOLDER / "asyncapi.yaml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)


def test_the_document_is_what_asyncapi_asks_for(whole: Any) -> None:
    assert complaints(whole) == []


def test_its_schemas_are_of_the_draft_that_asyncapi_is_made_on(whole: Any) -> None:
    draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
    schemas = {name: {**draft, **one} for name, one in whole["components"]["schemas"].items()}

    assert schemas
    assert [name for name, one in schemas.items() if not jsonschema_rs.meta.is_valid(one)] == []
    assert [name for name, one in schemas.items() if "$defs" in str(one)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("asyncapi", "2.6.0"),
        ("info/version", None),
        ("servers/bus/protocol", None),
        ("servers/bus/host", "{where}"),
        ("servers/bus/url", "nats://host"),
        ("channels/rayjob/address", "pub.{namespace}.rayjob.{name}"),
        ("channels/rayjob/messages/rayjob-failed/$ref", "#/components/messages/rayjob-flown"),
        ("channels/rayjob/publish", {}),
        ("operations/tell-rayjob/action", "publish"),
        ("operations/tell-rayjob/channel/$ref", "#/channels/raycar"),
        ("components/messages/rayjob-failed/payload", None),
        ("components/messages/rayjob-failed/contentType", "json"),
        ("components/messages/rayjob-failed/examples", []),
        ("components/schemas/About", {"type": "thing"}),
    ],
)
def test_a_document_that_is_wrong_is_told(path: str, value: object, whole: Any) -> None:
    spoiled = copy.deepcopy(whole)
    *folders, last = path.split("/")
    part = spoiled
    for token in folders:
        part = part[token]
    if value is None:
        del part[last]
    else:
        part[last] = value

    assert complaints(spoiled) != []
