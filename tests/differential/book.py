"""Every story there is, and what Ray does in them."""

from tests.differential import clusters, jobs, samples, serves, variants
from tests.differential.stories import Story

SCENARIO = """
rules:
- labels: {ray.io/node-type: redis-cleanup}
  exits: [{after: 0.3, exit_code: 0}]
ray:
  jobs:
  - entrypoint: "*forever*"
    runs_for: null
  - entrypoint: "*badly*"
    exit_code: 1
"""
"""How jobs fare; all others succeed."""


def stories() -> list[Story]:
    """Return all stories, each name once."""
    every = [
        *clusters.lives(),
        *clusters.changes(),
        *clusters.refusals(),
        *jobs.lives(),
        *jobs.crons(),
        *serves.lives(),
        *samples.samples(),
        *variants.variants(),
    ]
    names = [each.name for each in every]
    assert len(set(names)) == len(names), "two stories have one name"
    return every
