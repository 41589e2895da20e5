"""What the guide tells people to write is what the courier takes and does."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import yaml

from services.courier import metrics
from services.courier.filters import Filter
from services.courier.signature import sign
from services.courier.subscriptions import Manner, read_subscriptions
from shared.telemetry.metrics import REGISTRY
from tests.house.sources import HOME

GUIDE = (HOME / "docs" / "guides" / "subscribing.md").read_text(encoding="utf-8")
KEY, BODY = b"a key that both know", b'{"id": "one"}'


def block(language: str) -> str:
    """Return the only block of a language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return str(found)


def fields(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


def test_the_file_of_the_guide_is_taken_and_shows_every_field() -> None:
    written = yaml.safe_load(block("yaml"))
    read = read_subscriptions(written)
    (shown,) = written["subscriptions"]

    assert read.problems == ()
    assert set(shown["delivery"]) == fields(Manner)
    assert set(shown["filter"]) == fields(Filter)
    told = set(re.findall(r"^\| `([a-zA-Z.]+)` \|", GUIDE, re.MULTILINE))
    below = {f"{part}.{name}" for part in ("delivery", "filter") for name in shown[part]}
    assert told == (set(shown) - {"delivery", "filter"}) | below | {"origin", "urlFile"}


def test_what_the_guide_says_of_defaults_holds() -> None:
    least: dict[str, object] = {"name": "pager", "url": "http://sink/"}
    rows = dict(re.findall(r"^\| `([\w.]+)` \|.*\| `?([^|`]*)`? \|$", GUIDE, re.MULTILINE))
    said = {name: yaml.safe_load(rows[name]) for name in rows if name.startswith("delivery.")}
    delivery = {name.split(".")[1]: value for name, value in said.items() if value != "any"}
    plain = {
        name: yaml.safe_load(rows[name])
        for name in ("mode", "from", "deadLetter", "handshake", "insecureSkipVerify")
    }
    spelled = {**least, **plain, "delivery": delivery}

    assert len(delivery) == len(fields(Manner)) - 1
    assert read_subscriptions({"subscriptions": [spelled]}) == (
        read_subscriptions({"subscriptions": [least]})
    )


def test_the_guide_checks_a_signature_as_the_courier_makes_it() -> None:
    names: dict[str, Any] = {}
    exec(block("python"), names)  # noqa: S102 - the guide's own words
    is_genuine = names["is_genuine"]
    now = datetime.now(tz=UTC)  # noqa: TID251 - a receiver has a real clock
    good = sign(KEY, BODY, now)

    assert is_genuine(good, BODY, KEY)
    assert not is_genuine(good, BODY + b" ", KEY)
    assert not is_genuine(good, BODY, b"another key")
    assert not is_genuine(sign(KEY, BODY, now - timedelta(hours=1)), BODY, KEY)
    assert not is_genuine("", BODY, KEY)


def test_the_guide_names_every_metric_of_the_courier() -> None:
    assert metrics.LAG in REGISTRY._collector_to_names
    known = {name for name in REGISTRY._names_to_collectors if "_courier_" in name}
    told = set(re.findall(r"`(heliograph_courier_\w+)", GUIDE))

    assert told <= known
    bare = {re.sub(r"_(total|created|count|sum|bucket)$", "", name) for name in known}
    assert {re.sub(r"_total$", "", name) for name in told} == bare
