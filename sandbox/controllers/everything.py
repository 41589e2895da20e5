"""All controllers of the sandbox in one step.

Holds the order only. The changes of one step may touch one object twice (a pod bound by the
scheduler and swept by the garbage collector): the applier keeps the first and the next step asks
again. Read next: world.py, then any controller.
"""

from datetime import datetime

from sandbox.controllers import endpoints, garbage, jobs, kubelet, namespaces, nodes
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import Steps, World, joined


def step(world: World, now: datetime, scenario: Scenario) -> Steps:
    """Ask every controller what it wants at this moment (`now` is in UTC)."""
    return joined(
        (
            garbage.step(world),
            namespaces.step(world),
            nodes.step(world, now, scenario),
            jobs.step(world, now),
            kubelet.step(world, now, scenario),
            endpoints.step(world),
        )
    )
