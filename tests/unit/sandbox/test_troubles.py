"""Rules about what requests suffer: whom they fit, how often and how long they strike."""

from datetime import UTC, datetime, timedelta

import pytest

from sandbox.errors import ApiError
from sandbox.troubles import NO_TROUBLE, Call, Trouble, Troubles, read_trouble, refusal

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LIST = Call(verb="list", resource="pods", namespace="a")
PATCH = Call(verb="patch", resource="rayclusters.ray.io", namespace="a", name="x")


def fates(troubles: Troubles, call: Call, count: int) -> list[bool]:
    return [troubles.fate(call, NOON) is not NO_TROUBLE for _ in range(count)]


@pytest.mark.parametrize("resource", ["rayclusters", "rayclusters.ray.io", "ray*"])
def test_a_kind_is_named_with_or_without_its_group(resource: str) -> None:
    rule = Trouble(resource=resource, verb="patch")

    assert (rule.fits(PATCH), rule.fits(LIST)) == (True, False)


def test_strikes_so_many_times_and_no_more() -> None:
    troubles = Troubles()
    troubles.add(Trouble(times=2, code=500), NOON)

    assert fates(troubles, LIST, 4) == [True, True, False, False]
    assert troubles.rules(NOON) == []


def test_is_over_when_its_time_is() -> None:
    troubles = Troubles()
    troubles.add(Trouble(lasts=5, code=500), NOON)

    assert troubles.fate(LIST, NOON + timedelta(seconds=4)).code == 500
    assert troubles.fate(LIST, NOON + timedelta(seconds=5)) is NO_TROUBLE


def test_the_same_seed_strikes_the_same_calls() -> None:
    def struck(seed: str) -> list[bool]:
        troubles = Troubles(seed)
        troubles.add(Trouble(per_mille=300), NOON)
        return fates(troubles, LIST, 200)

    assert struck("a") == struck("a") != struck("b")
    assert 30 < sum(struck("a")) < 90


def test_is_down_for_a_while() -> None:
    troubles = Troubles()
    troubles.go_down(3, NOON)

    assert troubles.is_down(NOON + timedelta(seconds=2))
    assert not troubles.is_down(NOON + timedelta(seconds=3))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (409, "Conflict"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
        (504, "Timeout"),
        (503, "ServiceUnavailable"),
    ],
)
def test_refuses_in_the_words_of_an_api_server(code: int, reason: str) -> None:
    error = refusal(Trouble(code=code), PATCH)

    assert error is not None
    assert (error.code, error.status["reason"]) == (code, reason)


def test_names_the_place_of_a_mistake() -> None:
    with pytest.raises(ApiError, match=r"\$\.code"):
        read_trouble(b'{"code": "many"}')
    with pytest.raises(ApiError, match="unknown field `cod`"):
        read_trouble(b'{"cod": 5}')
