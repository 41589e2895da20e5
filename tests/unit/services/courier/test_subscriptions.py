"""Subscriptions as people write them: what is taken, and how mistakes are told."""

from datetime import UTC, datetime, timedelta

import pytest
import yaml

from services.courier.subscriptions import FromFile, Read, read_subscriptions

WHOLE = """
origin: ray.example.com
subscriptions:
  - name: pager
    url: https://pager.example.com/hook?team=a
    filter:
      subjects: ["pub.team-a.rayjob.*.failed"]
      types: ["io.heliograph.rayjob.*"]
      cel: event.data.state.attempts_failed > 1
    mode: binary
    secretFile: pager.key
    headers:
      X-Team: a
      Authorization: {file: token}
    from: 2030-01-01T12:00:00Z
    delivery:
      retry: 3
      backoffDelay: PT0.5S
      backoffPolicy: linear
      timeout: 2s
      ratePerMinute: 30
      inFlight: 2
    deadLetter: off
    handshake: true
    caFile: ca.crt
"""


def read(text: str) -> Read:
    return read_subscriptions(yaml.safe_load(text))


def one(**fields: object) -> Read:
    return read_subscriptions(
        {"subscriptions": [{"name": "pager", "url": "http://sink/", **fields}]}
    )


def problems(found: Read) -> list[str]:
    return [str(problem) for problem in found.problems]


def test_reads_everything_that_can_be_said() -> None:
    (found,) = read(WHOLE).subscriptions

    assert problems(read(WHOLE)) == []
    assert (found.name, found.mode, found.origin) == ("pager", "binary", "ray.example.com")
    assert found.begin == datetime(2030, 1, 1, 12, tzinfo=UTC)
    assert found.headers["Authorization"] == FromFile("token")
    assert (found.retry, found.backoff_policy, found.in_flight) == (3, "linear", 2)
    assert (found.backoff_delay, found.timeout) == (timedelta(seconds=0.5), timedelta(seconds=2))
    assert (found.rate_per_minute, found.dead_letter, found.handshake) == (30, False, True)
    assert found.filter.cel == "event.data.state.attempts_failed > 1"


def test_little_is_needed() -> None:
    (found,) = one().subscriptions

    assert found.filter.subjects == ("pub.>",)
    assert (found.begin, found.mode, found.retry, found.dead_letter) == (
        "now",
        "structured",
        10,
        True,
    )
    assert found.verified


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": "ftp://sink"}, "url: must be an http or https address"),
        ({"url": "https://me:word@sink/"}, "url: must be an http or https address without a user"),
        ({"url": ""}, "url: is needed, or else urlFile, and not both"),
        ({"urlFile": "x"}, "url: is needed, or else urlFile, and not both"),
        ({"name": "No Good"}, "name: must be at most 42 small letters, digits and dashes"),
        ({"filters": {}}, "object contains unknown field filters"),
        ({"filter": {"cel": "event.type =="}}, "filter.cel: 1:14: Syntax error"),
        ({"filter": {"cel": "1 + 1"}}, "filter.cel: must be true or false, not int"),
        ({"filter": {"types": ["rayjob"]}}, "filter.types[0]: must begin with io.heliograph."),
        ({"filter": {"subjects": ["ray.>"]}}, "filter.subjects[0]: must be like pub.NAMESPACE"),
        ({"filter": {"subjects": ["pub.a*.>"]}}, "filter.subjects[0]: * stands for a whole word"),
        (
            {"filter": {"subjects": ["pub.a.>", "pub.*.rayjob.>"]}},
            "filter.subjects[1]: overlaps with subjects[0]",
        ),
        ({"mode": "batch"}, "mode: invalid enum value 'batch'"),
        ({"headers": {"Content-Type": "x"}}, "headers.Content-Type: is set by the courier itself"),
        ({"headers": {"ce-id": "x"}}, "headers.ce-id: is set by the courier itself"),
        ({"headers": {"Webhook-Attempt": "9"}}, "headers.Webhook-Attempt: is set by the courier"),
        ({"headers": {"Transfer-Encoding": "chunked"}}, "Encoding: is set by the courier itself"),
        ({"headers": {"A b": "x"}}, "headers.A b: is no name of a header"),
        ({"headers": {"X": "a\r\nB: c"}}, "headers.X: must be one line of text"),
        ({"from": "yesterday"}, "from: must be now, beginning, or a moment like"),
        ({"delivery": {"retry": -1}}, "delivery.retry: expected int >= 0"),
        ({"delivery": {"backoffDelay": "soon"}}, "delivery.backoffDelay: must be a span like"),
        ({"delivery": {"timeout": "PT0S"}}, "delivery.timeout: must be longer than nothing"),
        ({"delivery": {"timeout": "6m"}}, "delivery.timeout: must be at most 5m"),
        ({"delivery": {"ratePerMinute": 0}}, "delivery.ratePerMinute: expected int >= 1"),
    ],
)
def test_a_mistake_is_told_with_its_path(fields: dict[str, object], sentence: str) -> None:
    found = one(**fields)

    assert found.subscriptions == ()
    assert len(found.problems) == 1
    assert problems(found)[0].startswith(f"subscriptions[0]{'.' if ': ' in sentence else ': '}")
    assert sentence in problems(found)[0]


def test_one_mistake_leaves_the_others_alone() -> None:
    good = {"name": "a", "url": "http://sink/"}
    found = read_subscriptions({"subscriptions": [good, {"name": "b"}, {**good, "name": "c"}]})

    assert [each.name for each in found.subscriptions] == ["a", "c"]
    assert problems(found) == ["subscriptions[1].url: is needed, or else urlFile, and not both"]


def test_a_name_is_given_once() -> None:
    good = {"name": "a", "url": "http://sink/"}
    found = read_subscriptions({"subscriptions": [good, good]})

    assert len(found.subscriptions) == 1
    assert problems(found) == ["subscriptions[1].name: a is the name of another subscription"]


@pytest.mark.parametrize("raw", [None, [], {"subscriptions": {}}, "text"])
def test_a_file_of_something_else_is_told(raw: object) -> None:
    assert problems(read_subscriptions(raw)) == ["subscriptions: must be a list of subscriptions"]


def test_slips_in_the_frame_are_told_and_harm_nobody() -> None:
    found = read_subscriptions(
        {"orign": "x", "origin": "no good", "subscriptions": [{"name": "a", "url": "http://sink/"}]}
    )

    assert problems(found) == [
        "orign: no such field is known",
        "origin: must be a DNS name, such as ray.example.com",
    ]
    assert [each.origin for each in found.subscriptions] == ["heliograph"]


def test_a_file_that_cannot_be_read_is_told_where_it_is_named() -> None:
    written = {"name": "a", "url": "http://sink/", "headers": {"X": {"file": "token"}}}
    found = read_subscriptions(
        {"subscriptions": [written]}, lambda name: f"{name} cannot be read: gone"
    )

    assert problems(found) == ["subscriptions[0].headers.X.file: token cannot be read: gone"]
