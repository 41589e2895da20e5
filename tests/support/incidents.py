"""A RayCluster `demo` on the whole system, on which incidents are staged, and questions after them.

Every service is real, on virtual time, over the sandbox: what is asked are the records that our own
code wrote. Users and other programs write as their field manager.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from typing import Any

from heliograph.assembly.reading import read_records
from heliograph.views.chronicle import gather
from heliograph.views.findings import Why
from heliograph.views.why import why
from sandbox.controllers.scenario import PodRule, Scenario
from sandbox.errors import ApiError
from sandbox.faults import Fault, Refuse, no_faults
from sandbox.requests import Request
from shared.bus.matching import matcher
from shared.events.envelope import Record
from shared.kernel.keys import parse_key
from tests.support.builders import Raw, cluster_spec, group
from tests.support.whole import Whole, whole

CLUSTERS = "rayclusters"
PLACE = "default"
NAME = "demo"
CLUSTER = f"raycluster/{PLACE}/{NAME}"


class Scene:
    """The cluster, and what can be done to it."""

    def __init__(self, here: Whole) -> None:
        self.here = here

    def create(self, spec: Raw, *, by: str = "kubectl-create") -> None:
        """Somebody writes the RayCluster."""
        body = {"metadata": {"name": NAME, "namespace": PLACE}, "spec": spec}
        request = Request(
            verb="create", resource=CLUSTERS, namespace=PLACE, body=body, field_manager=by
        )
        self.here.cluster.carry_out(request)

    def edit(self, change: Callable[[Any], None], *, by: str) -> None:
        """Somebody changes the spec of the RayCluster."""
        spec = deepcopy(self.here.cluster.get(CLUSTERS, PLACE, NAME)["spec"])
        change(spec)
        self.here.cluster.patch(CLUSTERS, PLACE, NAME, {"spec": spec}, field_manager=by)

    def pods(self, part: str = "") -> list[str]:
        """Return the names of its pods."""
        names = [pod["metadata"]["name"] for pod in self.here.left("pods")]
        return sorted(name for name in names if part in name)

    def suffers(self, *rules: PodRule) -> None:
        """Let pods fare so from now on."""
        self.here.cluster.scenario = Scenario(rules=rules)
        self.here.cluster.patch(CLUSTERS, PLACE, NAME, {"metadata": {"labels": {"at": "now"}}})

    def refuse(self, because: str, part: str) -> None:
        """Let the API server refuse to create pods whose name has this part."""

        def refusing(request: Request) -> Fault | None:
            name = str((request.body or {}).get("metadata", {}).get("name", ""))
            if request.verb != "create" or request.resource != "pods" or part not in name:
                return None
            return Refuse(error=ApiError.forbidden("pods", name, because))

        self.here.cluster.faults = refusing

    def fail(self, error: ApiError) -> None:
        """Let the API server answer every creation of a pod so."""

        def failing(request: Request) -> Fault | None:
            creates = request.verb == "create" and request.resource == "pods"
            return Refuse(error=error) if creates else None

        self.here.cluster.faults = failing

    def relent(self) -> None:
        """Refuse nothing any more."""
        self.here.cluster.faults = no_faults

    async def settle(self, seconds: float = 60) -> None:
        """Let time pass."""
        await asyncio.sleep(seconds)

    async def records(self) -> tuple[Record, ...]:
        """Return everything in the log."""
        return await read_records(self.here.server.connect("reader").log)

    async def why(self, about: str) -> Why:
        """Ask."""
        return ask(await self.records(), about)


@asynccontextmanager
async def scene(*groups: Raw, rule: PodRule | None = None, **more: object) -> AsyncIterator[Scene]:
    """Stage the cluster with two workers, or as asked for, as far as it comes in a minute."""
    async with whole(rule) as here:
        staged = Scene(here)
        staged.create(cluster_spec(*(groups or (group("small", 2),)), **more))
        await staged.settle(60)
        yield staged


def ask(records: Iterable[Record], about: str) -> Why:
    """Ask why, reading no more than a command would."""
    known = tuple(records)

    def read(filters: Sequence[str]) -> list[Record]:
        fits = matcher(filters)
        return [one for one in known if fits(one.subject)]

    key = parse_key(about)
    found = why(gather(read, key), key)
    assert found is not None, f"the log knows nothing of {about}"
    return found
