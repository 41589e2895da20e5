"""The fuzzer: the same seed gives the same inputs, and a crash is not hidden."""

from random import Random

import pytest

from shared.resources.problem import Problem
from tools import fuzz_reading
from tools.fuzz_reading import good, main
from tools.mutations import mutated


def _told(value: object) -> str:
    """Write the beginning of an input; some are made too deep to be written."""
    try:
        return repr(value)[:2000]
    except RecursionError:
        return "too deep"


def test_the_same_seed_gives_the_same_inputs() -> None:
    seeds = good()

    def inputs(seed: int) -> list[str]:
        chance = Random(seed)
        return [_told(mutated(chance, seeds)) for _ in range(20)]

    assert inputs(1) == inputs(1) != inputs(2)


def test_what_it_starts_from_stays_as_it_is() -> None:
    seeds = good()
    before = repr(seeds)
    chance = Random(3)
    for _ in range(50):
        mutated(chance, seeds)

    assert repr(seeds) == before


def test_it_says_how_far_it_is_and_what_it_met(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["40", "5", "--check"]) == 0
    *_, progress, end = capsys.readouterr().out.splitlines()
    assert progress.startswith("40 of 40 inputs, ")
    assert end.startswith("no crash; ")


def test_a_crash_is_shown_with_the_number_of_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(raw: object, features: object) -> tuple[Problem, ...]:
        raise KeyError("x")

    monkeypatch.setattr(fuzz_reading, "check_file", crashing)

    with pytest.raises(KeyError) as crash:
        main(["3", "5", "--check"])
    assert crash.value.__notes__ == ["input 1 of seed 5"]
