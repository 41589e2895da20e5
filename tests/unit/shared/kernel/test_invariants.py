"""Invariants: silent while they hold, loud when they do not."""

import pytest

from shared.kernel.invariants import InvariantError, invariant


@pytest.mark.parametrize("condition", [True, 1, "text", [0]])
def test_what_holds_passes_in_silence(condition: object) -> None:
    invariant(condition, "never shown")


@pytest.mark.parametrize("condition", [False, None, 0, "", []])
def test_what_does_not_hold_stops_with_its_sentence(condition: object) -> None:
    with pytest.raises(InvariantError, match=r"^one head at most$"):
        invariant(condition, "one head at most")
