"""Only what a resource owns is ever deleted, and only because an act said so.

Whoever deletes names the uid; strangers that merely look like ours are left alone, also when a user
names them in `workersToDelete`.
"""

from collections.abc import Iterator

from sandbox.history import WatchEvent
from sandbox.requests import Request
from shared.actions.objects import DeleteObject
from shared.kernel.manifests import name_of
from tests.simulation.invariants.invariant import Invariant, Scene, owner_uid


class OwnedOnly(Invariant):
    """Deletions of ours."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._strangers = {
            name_of(pod) for pod in scene.nature.objects("pods") if not owner_uid(pod)
        }

    def asked(self, who: str, request: Request) -> Iterator[str]:
        if request.verb not in {"delete", "deletecollection"}:
            return
        uid = request.deletion.uid
        if uid is None or request.verb == "deletecollection":
            yield f"{who} deletes {request.resource} {request.name} without naming its uid"
            return
        found = self.scene.nature.find_uid(uid)
        owners = {
            act.uid
            for act in self.scene.archive.acts.values()
            for action in act.decided.actions
            if isinstance(action, DeleteObject) and action.uid == uid
        }
        if not owners:
            yield f"{who} deletes {request.name} although no act asked for it"
        elif found is not None and owners.isdisjoint({owner_uid(found), uid}):
            yield f"{who} deletes {request.name}, which belongs to somebody else"

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        name = name_of(change.object)
        if resource == "pods" and name in self._strangers and not owner_uid(change.object):
            going = "deletionTimestamp" in change.object["metadata"]
            if going or change.type == "DELETED":
                yield f"the stranger {name} was deleted"
