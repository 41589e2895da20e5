"""Turns below a rate."""

from hypothesis import given
from hypothesis import strategies as st

from shared.kube.limits import RateLimit

FOR_EVER = float("inf")


def test_a_burst_passes_at_once_and_the_rest_in_turn() -> None:
    limit = RateLimit(per_second=10, burst=2)

    assert [limit.turn(100.0, within=FOR_EVER) for _ in range(4)] == [0.0, 0.0, 0.1, 0.2]


def test_time_fills_the_bucket_up_to_its_burst() -> None:
    limit = RateLimit(per_second=10, burst=2)
    for _ in range(2):
        limit.turn(100.0, within=FOR_EVER)

    assert [limit.turn(200.0, within=FOR_EVER) for _ in range(3)] == [0.0, 0.0, 0.1]


def test_a_turn_out_of_reach_is_not_taken() -> None:
    limit = RateLimit(per_second=10, burst=1)
    limit.turn(100.0, within=FOR_EVER)

    assert limit.turn(100.0, within=0.05) is None
    assert limit.turn(100.0, within=0.15) == 0.1


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=50))
def test_never_more_than_the_rate_and_one_burst(pauses: list[float]) -> None:
    limit = RateLimit(per_second=20, burst=5)
    now, turns = 0.0, []
    for pause in pauses:
        now += pause
        turns.append(now + (limit.turn(now, within=FOR_EVER) or 0.0))

    spans = zip(turns, turns[5:], strict=False)
    assert all(later - earlier >= 1 / 20 - 1e-9 for earlier, later in spans)
