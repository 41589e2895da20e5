"""Hundreds of schedules: whatever comes late, twice or not at all, the rules hold.

Each seed plays one RayCluster through lagging watches, sleeping and crashing workers, lost
answers, quotas, and a user who scales, suspends, deletes and makes again. A seed that ever broke a
rule stays here by number.
"""

import pytest

from tests.support.schedules import Schedule

SEEDS_PER_TEST = 10


@pytest.mark.parametrize("tens", range(30))
def test_no_schedule_breaks_a_rule_and_all_come_to_rest(tens: int) -> None:
    for seed in range(tens * SEEDS_PER_TEST, (tens + 1) * SEEDS_PER_TEST):
        Schedule(seed).run()
