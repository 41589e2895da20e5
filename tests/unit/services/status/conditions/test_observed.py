"""Which generation a status claims as observed: only one that an act has judged, and its verdict.

The real reconciler decides here. A status is assessed at whichever moments: often, seldom, between
any two records. Whoever waits for `observedGeneration` may trust the `SpecInvalid` beside it.
"""

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from tests.support.builders import Raw, cluster_spec, group, head, resource, service, with_status
from tests.support.plot import Plot
from tests.unit.services.status.conditions.assessed import Told, condition

VALID = cluster_spec(group("small", 0))
ABSURD = cluster_spec(group("small", 1, minReplicas=5, maxReplicas=2))
UNSHAPED: Raw = {"headGroupSpec": 7}

Step = Callable[["Lived"], object]
Shown = tuple[object, bool]
"""The observed generation, and whether its spec is told to be invalid."""


class Lived(Told, Plot):
    """A history with a reconciler that decides and a status service that tells."""


def wish(generation: int, spec: Raw) -> Step:
    return lambda lived: lived.wishes(generation, spec)


def act(lived: Lived) -> None:
    """The reconciler decides, and what it asks for is done and seen."""
    lived.executes(lived.commits())
    lived.sees(service(version=5000), head(version=5001))


def shown(status: Raw) -> Shown:
    return status.get("observedGeneration"), condition(status, "SpecInvalid") is not None


def lives(*steps: Step) -> Iterator[list[Shown]]:
    """Live through the steps, with the status told after any of them; yield what was shown."""
    for told in product((False, True), repeat=len(steps)):
        lived, seen = Lived(), []
        for step, tells in zip(steps, told, strict=True):
            step(lived)
            if tells:
                seen.append(shown(lived.tells()))
        yield [*seen, shown(lived.assess())]


def everything(*steps: Step) -> set[Shown]:
    return {each for life in lives(*steps) for each in life}


def at_the_end(*steps: Step) -> set[Shown]:
    return {life[-1] for life in lives(*steps)}


@pytest.mark.parametrize("spec", [ABSURD, UNSHAPED])
def test_created_invalid_it_is_observed_only_together_with_its_verdict(spec: Raw) -> None:
    created = wish(1, spec)

    assert everything(created) == {(None, False)}
    assert everything(created, act) == {(None, False), (1, True)}
    assert at_the_end(created, act) == {(1, True)}


@pytest.mark.parametrize("spec", [ABSURD, UNSHAPED])
def test_made_invalid_it_is_observed_only_together_with_its_verdict(spec: Raw) -> None:
    steps = (wish(1, VALID), act, wish(2, spec))

    assert at_the_end(*steps) == {(1, False)}
    assert everything(*steps, act) == {(None, False), (1, False), (2, True)}
    assert at_the_end(*steps, act) == {(2, True)}


@pytest.mark.parametrize("spec", [ABSURD, UNSHAPED])
def test_repaired_it_is_invalid_until_the_repair_is_observed(spec: Raw) -> None:
    steps = (wish(1, VALID), act, wish(2, spec), act, wish(3, VALID))

    assert at_the_end(*steps) == {(2, True)}
    assert everything(*steps, act) == {(None, False), (1, False), (2, True), (3, False)}
    assert at_the_end(*steps, act) == {(3, False)}


def test_generations_that_nobody_judged_are_never_shown() -> None:
    steps = (wish(1, VALID), act, wish(2, ABSURD), wish(3, VALID), wish(4, UNSHAPED), act)

    assert everything(*steps) == {(None, False), (1, False), (4, True)}


def test_a_valid_generation_that_asks_for_nothing_is_observed_once_it_is_looked_at() -> None:
    steps = (wish(1, VALID), act, wish(2, VALID))

    assert at_the_end(*steps) == {(1, False)}
    assert at_the_end(*steps, act) == {(2, False)}


def test_a_verdict_stays_while_the_log_has_lost_the_act_that_gave_it() -> None:
    before = Lived()
    for step in (wish(1, ABSURD), act):
        step(before)
    lost = Lived()
    lost.sees(with_status(resource(ABSURD), before.tells()))

    assert shown(lost.tells()) == (1, True)

    act(lost)

    assert shown(lost.assess()) == (1, True)


def test_what_was_observed_stays_observed_although_the_log_lost_the_act_that_judged_it() -> None:
    """The log lost its tail: its last act is of an earlier generation than the status tells."""
    lived = Lived()
    lived.wishes(1, VALID)
    act(lived)
    lived.sees(with_status(resource(VALID, generation=2, version=6000), {"observedGeneration": 2}))

    assert shown(lived.tells())[0] == 2
