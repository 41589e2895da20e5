"""What the world reads of lifecycle events says what the code says, and holds together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from shared.bus.declarations import LIFE, Installation, streams
from shared.events import subjects
from shared.events.lifecycle import EVENTS
from shared.kernel.keys import ResourceKey
from tools.generate_events import FILES, FOLDER, main, stale, write
from tools.lifecycle.asyncapi import document, message_name
from tools.lifecycle.examples import SAMPLES


def parts(value: object) -> Iterator[dict[str, Any]]:
    """Yield every mapping in a document."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from parts(each)


def at(whole: Any, reference: str) -> Any:
    for token in reference.removeprefix("#/").split("/"):
        whole = whole[token]
    return whole


def read(name: str) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), yaml.CSafeLoader)


def test_the_files_are_fresh() -> None:
    assert stale() == []
    assert main(["--check"]) == 0


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_changed_by_hand_is_found(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / name).write_text("changed", encoding="utf-8")

    assert stale(tmp_path) == [name]


def test_every_event_has_an_example_and_a_row() -> None:
    rows = (FOLDER / "lifecycle-events.md").read_text(encoding="utf-8").splitlines()
    told = [(kind, what) for kind, events in EVENTS.items() for what in events]

    assert {kind: set(samples) for kind, samples in SAMPLES.items()} == {
        kind: set(events) for kind, events in EVENTS.items()
    }
    assert [
        (kind, what)
        for kind, what in told
        if not any(row.startswith(f"| `{what}` | `io.heliograph.{kind}.") for row in rows)
    ] == []


@pytest.mark.parametrize("name", ["asyncapi.yaml", "events.schema.json"])
def test_every_reference_leads_somewhere(name: str) -> None:
    whole = read(name)
    references = [part["$ref"] for part in parts(whole) if isinstance(part.get("$ref"), str)]

    assert references
    assert all(isinstance(at(whole, reference), dict) for reference in references)


def test_every_example_is_what_its_schemas_say() -> None:
    whole = read("asyncapi.yaml")
    schemas = {"components": whole["components"]}
    checked = 0
    for message in whole["components"]["messages"].values():
        for example in message["examples"]:
            for part in ("headers", "payload"):
                jsonschema_rs.validate({**schemas, **message[part]}, example[part])
                checked += 1

    assert checked == 2 * 2 * sum(map(len, EVENTS.values()))


def test_an_event_is_of_one_schema_only() -> None:
    schema = jsonschema_rs.validator_for(read("events.schema.json"))
    messages = read("asyncapi.yaml")["components"]["messages"]
    event = messages["rayjob-failed"]["examples"][0]["payload"]

    assert schema.is_valid(event)
    for spoiled in (
        {**event, "type": "io.heliograph.rayjob.flown.v1"},
        {**event, "dataschema": "urn:heliograph:rayjob:succeeded:v1"},
        {**event, "sequence": "7"},
        {**event, "data": {"because": "of nothing"}},
        {name: event[name] for name in event if name != "id"},
    ):
        assert not schema.is_valid(spoiled)


def test_the_channels_are_where_the_server_puts_events() -> None:
    log = next(one for one in streams(Installation()) if one["name"] == "RAYLOG")
    transform = log["republish"]
    assert transform == {
        "src": LIFE,
        "dest": "pub.{{wildcard(3)}}.{{wildcard(2)}}.{{wildcard(4)}}.{{wildcard(5)}}",
    }
    key = ResourceKey("rayjob", "team-a", "train")
    _, _, kind, namespace, name, _, event = subjects.life(key, "failed").split(".")
    address = document()["channels"]["rayjob"]["address"]

    assert address.format(namespace=namespace, name=name, event=event) == (
        f"pub.{namespace}.{kind}.{name}.{event}"
    )


def test_every_message_is_in_its_channel() -> None:
    told = document()
    for kind, events in EVENTS.items():
        names = {
            message_name(kind, what, mode) for what in events for mode in ("structured", "binary")
        }
        assert set(told["channels"][kind]["messages"]) == names
        assert told["channels"][kind]["parameters"]["event"]["enum"] == list(events)
