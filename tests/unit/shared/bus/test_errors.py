"""What the server's errors mean for us."""

import pytest

from shared.bus.errors import ApiError, NotThere, Problem, failure, refusal
from shared.bus.jetstream import judge
from shared.ports.event_log import Appended, BusUnavailable, Refused

WRONG = b'{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 42"},"seq":0}'
IN_FLIGHT = b'{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"},"seq":0}'
NO_LEADER = b'{"error":{"code":503,"err_code":10008,"description":"temporarily unavailable"}}'
FORBIDDEN = b'{"error":{"code":400,"err_code":10060,"description":"expected stream"}}'


def test_reads_a_receipt() -> None:
    assert judge(b'{"stream":"RAYLOG","seq":7}') == Appended(sequence=7)
    assert judge(b'{"stream":"RAYLOG","seq":7,"duplicate":true}') == Appended(
        sequence=7, duplicate=True
    )


def test_both_refusals_mean_that_somebody_else_wrote_first() -> None:
    assert judge(WRONG) == Refused(last=42)
    assert judge(IN_FLIGHT) == Refused(last=None)


def test_a_server_without_a_leader_is_unavailable() -> None:
    with pytest.raises(BusUnavailable, match="temporarily unavailable"):
        judge(NO_LEADER)


def test_any_other_refusal_is_our_fault() -> None:
    with pytest.raises(ApiError, match="10060: expected stream"):
        judge(FORBIDDEN)


def test_what_is_not_there_may_come() -> None:
    problem = Problem(code=404, err_code=10059, description="stream not found")

    assert isinstance(failure(problem), NotThere)
    assert refusal(problem) is None


@pytest.mark.parametrize(
    ("code", "err_code"), [(409, 10158), (429, 10167), (500, 10047), (503, 10008)]
)
def test_what_may_pass_by_itself_is_unavailability(code: int, err_code: int) -> None:
    assert isinstance(failure(Problem(code, err_code, "busy")), BusUnavailable)
