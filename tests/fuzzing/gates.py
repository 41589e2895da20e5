"""Which feature gates the operator of a seed has: even seeds the usual ones, odd seeds all."""

from shared.kernel.features import CRON_JOB, GATES, WORKLOAD_AWARE_SCHEDULING, Features

NEEDS_ANOTHER_API = frozenset({WORKLOAD_AWARE_SCHEDULING})
"""Gates that stay shut: they rest on kinds that neither Kubernetes of ours serves."""


def gates_of(seed: int) -> Features:
    """Return the gates that are open; RayCronJobs are always looked after."""
    if seed % 2:
        return Features(enabled=frozenset(GATES) - NEEDS_ANOTHER_API)
    return Features(enabled=Features().enabled | {CRON_JOB})
