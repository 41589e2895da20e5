"""A fork of which nobody can tell the end is refused, not waited for."""

from datetime import timedelta

import pytest

from heliograph.simulator import world
from heliograph.simulator.forking import Answer, Asked, what_if
from heliograph.simulator.questions import read_question
from shared.runtime.failures import FatalError
from tests.support.planted import service_upgraded


def asked(lasts: timedelta = timedelta(seconds=20)) -> Answer:
    wish = Asked(question=read_question({"resource": "rayservice/prod/fruit"}), lasts=lasts)
    return what_if(tuple(service_upgraded().records), wish, lambda _: None)


def test_an_operator_that_goes_in_circles_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "ACTS_MAX", 0)

    with pytest.raises(FatalError, match="the operator goes in circles"):
        asked()


def test_a_service_that_no_watcher_tells_of_is_not_asked_for_again_and_again() -> None:
    """Its label is not there: once it was a creation, "already so", a creation, for ever."""
    assert asked().comparison.same
