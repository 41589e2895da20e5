"""All orders of what may happen to a RayService, three moves deep, held to the laws.

More by hand: `python -m tests.support.servicemodel 4`.
"""

import pytest

from tests.support.servicemodel import STARTS, explore

DEPTH = 3
KIND = 1
"""Up to which depth the world also turns kind, to see that all ends well; costs most."""


@pytest.mark.parametrize("start", list(STARTS))
def test_nothing_that_can_happen_breaks_a_law(start: str) -> None:
    met = explore(STARTS[start](), DEPTH, kind=KIND)

    assert sum(met.values()) > 300
    assert {"False SuspendComplete", "False ValidationFailed"} <= met.keys()
