"""Every RayJob that can happen, to a depth that fits into the suite.

`python -m tests.support.jobmodel DEPTH` goes deeper.
"""

import pytest

from shared.aggregates.rayjob import PHASES, RETRYING, SUSPENDING
from tests.support.jobmodel import SPECS, explore

DEPTH = 3


@pytest.mark.parametrize("name", SPECS)
def test_every_order_of_events_keeps_the_laws(name: str) -> None:
    met = explore(SPECS[name], DEPTH)

    assert len(met) >= 4, "the world moves"
    assert not {RETRYING, SUSPENDING} & set(met), "neither rests"
    assert set(met) <= set(PHASES)
