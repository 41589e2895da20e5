"""A resource is decided on as often as news ask for it, but not without end."""

import pytest

from services.reconciler.haste import BURST, EVERY, MANY, Haste
from shared.kernel.keys import ResourceKey

KEY = ResourceKey(kind="raycluster", namespace="default", name="demo")
OTHER = ResourceKey(kind="raycluster", namespace="default", name="other")


def spent(times: int, at: float = 0.0) -> Haste:
    haste = Haste()
    for _ in range(times):
        haste.spend(KEY, at)
    return haste


def test_a_burst_waits_for_nothing() -> None:
    assert Haste().wait(KEY, 0.0) == 0.0
    assert spent(BURST - 1).wait(KEY, 0.0) == 0.0


def test_what_is_used_up_is_made_up_for_one_by_one() -> None:
    haste = spent(BURST)

    assert haste.wait(KEY, 0.0) == EVERY
    assert haste.wait(KEY, EVERY / 2) == EVERY / 2
    assert haste.wait(KEY, EVERY) == 0.0


def test_a_circle_without_a_pause_is_left_one_decision_at_a_time() -> None:
    haste, now, decisions = Haste(), 0.0, 0
    while now < 1000 * EVERY:
        now += haste.wait(KEY, now) or 0.001
        if not haste.wait(KEY, now):
            haste.spend(KEY, now)
            decisions += 1

    assert 1000 <= decisions <= 1000 + BURST + 1


def test_others_go_on() -> None:
    assert spent(10 * BURST).wait(OTHER, 0.0) == 0.0


def test_who_rests_is_looked_for_seldom_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A start decides on everything at once: nobody rests, and looking at all takes its time."""
    looks: list[float] = []
    real = Haste._forget

    def counted(haste: Haste, now: float) -> None:
        looks.append(now)
        real(haste, now)

    monkeypatch.setattr(Haste, "_forget", counted)
    haste = Haste()
    for number in range(4 * MANY):
        haste.spend(ResourceKey(kind="rayjob", namespace="default", name=str(number)), 0.0)

    assert len(looks) == 2


def test_who_rests_is_forgotten() -> None:
    haste = spent(3)
    for number in range(MANY):
        haste.spend(ResourceKey(kind="rayjob", namespace="default", name=str(number)), 100.0)

    assert KEY not in haste._spent
