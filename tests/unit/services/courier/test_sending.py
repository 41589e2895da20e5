"""What is sent, what an answer means, and when to try again."""

import hashlib
import hmac
from datetime import timedelta

import msgspec
import pytest

from services.courier.pace import Pace, slower
from services.courier.patience import ASKED_MOST, LONGEST, pause, retry_after
from services.courier.posting import Credentials, posting
from services.courier.signature import sign
from services.courier.sink import Allowed, Denied, Permission, permission
from services.courier.subscriptions import Policy, Subscription
from services.courier.verdict import Refused, Retired, Taken, TryLater, judge
from shared.events.cloudevents import read
from tests.unit.services.courier.news import NOON, event

KEY = b"a key that nobody else has"
CREDENTIALS = Credentials("http://sink/", {"X-Team": "a"}, KEY)


def test_a_signature_covers_time_and_body() -> None:
    moment = str(int(NOON.timestamp()))
    expected = hmac.new(KEY, f"{moment}.body".encode(), hashlib.sha256).hexdigest()

    assert sign(KEY, b"body", NOON) == f"t={moment},v1={expected}"
    assert sign(KEY, b"body", NOON + timedelta(seconds=1)) != sign(KEY, b"body", NOON)
    assert sign(b"other", b"body", NOON) != sign(KEY, b"body", NOON)


def test_structured_mode_has_the_whole_event_in_its_body() -> None:
    sent = posting(event(), "structured", CREDENTIALS, at=NOON, attempt=3)

    assert sent.headers["Content-Type"] == "application/cloudevents+json"
    assert sent.headers["X-Team"] == "a"
    assert (sent.headers["Webhook-Id"], sent.headers["Webhook-Attempt"]) == ("one-1", "3")
    assert sent.headers["Webhook-Signature"] == sign(KEY, sent.body, NOON)
    assert read(sent.headers, sent.body) == event()


def test_binary_mode_has_the_attributes_in_headers() -> None:
    sent = posting(event(), "binary", CREDENTIALS, at=NOON)

    assert sent.headers["Content-Type"] == "application/json"
    assert sent.headers["ce-type"] == "io.heliograph.rayjob.failed.v1"
    assert sent.headers["ce-id"] == "one-1"
    assert msgspec.json.decode(sent.body)["because"] == "a test"
    assert read(sent.headers, sent.body) == event()


def test_without_a_key_nothing_is_signed() -> None:
    sent = posting(event(), "structured", Credentials("http://sink/", {}), at=NOON)

    assert "Webhook-Signature" not in sent.headers


def test_what_holds_secrets_does_not_print_them() -> None:
    secret = Credentials("http://sink/secret-path", {"Authorization": "Bearer word"}, KEY)
    sent = posting(event(), "structured", secret, at=NOON)

    shown = f"{secret!r} {sent!r} {[secret, sent]}"
    assert "secret-path" not in shown
    assert "word" not in shown
    assert "nobody" not in shown


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_taken(status: int) -> None:
    assert judge(status, "", NOON) == Taken()


@pytest.mark.parametrize("status", [401, 403, 404, 408, 409, 425, 429, 500, 503, 599, 301, 307])
def test_what_may_pass_is_tried_again(status: int) -> None:
    verdict = judge(status, "7", NOON)

    assert isinstance(verdict, TryLater)
    assert verdict.after == timedelta(seconds=7)
    assert str(status) in verdict.because


@pytest.mark.parametrize("status", [400, 405, 413, 415, 422])
def test_other_4xx_are_refusals(status: int) -> None:
    assert judge(status, "7", NOON) == Refused(f"the sink answered {status}")


def test_gone_is_for_good() -> None:
    assert judge(410, "", NOON) == Retired()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 30),
        (" 0 ", 0),
        ("99999999999999999999", 3600),
        ("Tue, 01 Jan 2030 12:01:00 GMT", 60),
        ("Tue, 01 Jan 2030 11:00:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_moment(text: str, seconds: int | None) -> None:
    found = retry_after(text, NOON)

    assert found == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("policy", "pauses"), [("exponential", [1, 2, 4, 8]), ("linear", [1, 2, 3, 4])]
)
def test_pauses_grow_by_policy(policy: Policy, pauses: list[int]) -> None:
    subscription = Subscription(name="a", backoff_policy=policy)

    found = [pause(subscription, failures, None).total_seconds() for failures in range(1, 5)]
    assert found == pauses


def test_pauses_have_a_bound_and_the_sink_may_ask_for_more() -> None:
    subscription = Subscription(name="a")

    assert pause(subscription, 500, None) == LONGEST
    assert pause(subscription, 1, timedelta(seconds=90)) == timedelta(seconds=90)
    assert pause(subscription, 4, timedelta(seconds=1)) == timedelta(seconds=8)
    assert pause(subscription, 1, timedelta(days=9)) == ASKED_MOST


def test_the_usual_patience_outlives_a_minute() -> None:
    """A sink that fails for a minute gets everything, without a word in the file."""
    subscription = Subscription(name="a")
    spent = sum(
        (pause(subscription, each, None) for each in range(1, subscription.retry + 1)), timedelta()
    )

    assert spent > timedelta(minutes=10)


def test_a_rate_gives_turns_at_an_even_distance() -> None:
    pace = Pace(30)

    assert [pace.turn(100.0) for _ in range(3)] == [0.0, 2.0, 4.0]
    assert pace.turn(200.0) == 0.0
    assert [Pace(None).turn(1.0) for _ in range(2)] == [0.0, 0.0]
    assert (slower(None, None), slower(5, None), slower(5, 3)) == (None, 5, 3)


@pytest.mark.parametrize(
    ("status", "headers", "answer"),
    [
        (200, {"WebHook-Allowed-Origin": "heliograph"}, Allowed()),
        (204, {"WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "*"}, Allowed()),
        (200, {"WebHook-Allowed-Origin": "Heliograph", "WebHook-Allowed-Rate": "90"}, Allowed(90)),
        (410, {"WebHook-Allowed-Origin": "*"}, Retired()),
    ],
)
def test_a_sink_may_agree(status: int, headers: dict[str, str], answer: Permission) -> None:
    assert permission(status, headers, "heliograph") == answer


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {}),
        (200, {"WebHook-Allowed-Origin": "somebody.else"}),
        (405, {"WebHook-Allowed-Origin": "*"}),
        (200, {"WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "0"}),
        (200, {"WebHook-Allowed-Origin": "*", "WebHook-Allowed-Rate": "many"}),
    ],
)
def test_without_a_clear_word_a_sink_does_not_agree(status: int, headers: dict[str, str]) -> None:
    assert isinstance(permission(status, headers, "heliograph"), Denied)
