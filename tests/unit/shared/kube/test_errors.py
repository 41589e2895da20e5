"""What the API server's failures mean to us."""

import msgspec
import pytest

from shared.kube.errors import refusal
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, ExpiredVersion

HTML = b"<html><body>secret-body 404 Not Found</body></html>"


def status(code: int, reason: str, message: str = "no", **details: object) -> bytes:
    return msgspec.json.encode(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "code": code,
            "reason": reason,
            "message": message,
            "details": details or None,
        }
    )


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (409, "Conflict"),
        (422, "Invalid"),
    ],
)
def test_a_refusal_keeps_the_words_of_the_server(code: int, reason: str) -> None:
    problem = refusal(code, {}, status(code, reason, "because I say so"))

    assert isinstance(problem, ClusterRefusal)
    assert (problem.code, problem.reason, problem.message) == (code, reason, "because I say so")


@pytest.mark.parametrize("code", [408, 429, 500, 503, 504])
def test_what_may_pass_tells_nothing(code: int) -> None:
    assert isinstance(refusal(code, {}, status(code, "Later")), ClusterUnavailable)


@pytest.mark.parametrize(
    ("code", "message", "undone"),
    [
        (429, "later", True),
        (500, 'Internal error occurred: failed calling webhook "x": no route', True),
        (500, "etcdserver: request timed out", False),
        (503, "the server is currently unable to handle the request", False),
    ],
)
def test_what_was_turned_away_at_the_door_changed_nothing(
    code: int, message: str, undone: bool
) -> None:
    problem = refusal(code, {}, status(code, "Later", message))

    assert isinstance(problem, ClusterUnavailable)
    assert problem.undone is undone


def test_the_api_servers_own_429_is_plain_text() -> None:
    problem = refusal(429, {"Retry-After": "1"}, b"Too many requests, please try again later.")

    assert isinstance(problem, ClusterUnavailable)
    assert (problem.undone, problem.retry_after) == (True, 1.0)
    assert str(problem) == "the API server answered 429: too many requests"


def test_a_version_that_is_gone_has_expired() -> None:
    assert isinstance(refusal(410, {}, status(410, "Expired")), ExpiredVersion)


@pytest.mark.parametrize("body", [HTML, b"", b"404 page not found", b"{}", b'{"kind":"Pod"}'])
def test_a_strangers_404_is_not_absence_and_its_body_stays_outside(body: bytes) -> None:
    problem = refusal(404, {}, body)

    assert isinstance(problem, ClusterUnavailable)
    assert "secret-body" not in str(problem)


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "7"}, status(429, "TooManyRequests"), 7.0),
        ({}, status(429, "TooManyRequests", retryAfterSeconds=3), 3.0),
        ({"Retry-After": "Wed, 21 Oct 2030"}, status(503, "Busy"), None),
        ({"Retry-After": "2"}, HTML, 2.0),
    ],
    ids=["header", "details", "a date is ignored", "from a proxy"],
)
def test_says_when_to_come_back(
    headers: dict[str, str], body: bytes, seconds: float | None
) -> None:
    problem = refusal(429, headers, body)

    assert isinstance(problem, ClusterUnavailable)
    assert problem.retry_after == seconds
