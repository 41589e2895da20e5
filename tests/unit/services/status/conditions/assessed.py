"""A history that the status service tells: assess what is seen, write it, go on."""

from itertools import count

from msgspec.structs import replace

from services.status.conditions.raycluster import OF_ALL, assess_raycluster
from services.status.reading import readable_cluster
from shared.events.decisions import Trouble
from shared.kernel.features import Features
from shared.kernel.manifests import entries_at
from tests.support.builders import (
    Raw,
    act,
    cluster_spec,
    group,
    head,
    resource,
    service,
    with_status,
    worker,
)
from tests.support.history import History

AT_NOON = "2030-01-01T12:00:00Z"
A_MINUTE_LATER = "2030-01-01T12:01:00Z"
TWO_WORKERS = cluster_spec(group(replicas=2))


class Told(History):
    """A history in which statuses are assessed and written."""

    def __init__(self, features: Features = OF_ALL) -> None:
        super().__init__()
        self._features = features
        self._versions = count(100)

    def assess(self) -> Raw:
        """Return the status as it should read now."""
        view = self.view()
        return assess_raycluster(view, readable_cluster(view), self._features)

    def tells(self) -> Raw:
        """Assess, and write it."""
        status = self.assess()
        self.writes_status(status, next(self._versions))
        return status

    def wishes(self, generation: int, spec: Raw) -> None:
        """The user writes another spec; the status in Kubernetes stays what was written."""
        seen = resource(spec, generation=generation, version=next(self._versions))
        self.sees(with_status(seen, dict(self.view().status)))

    def closes(self, phase: str, *troubles: Trouble, generation: int = 1) -> None:
        """Write an act without actions that saw this phase."""
        seen = act(id_=f"act-{len(self.records)}", phase=phase, generation=generation)
        self.acts(replace(seen, troubles=troubles))


def running() -> Told:
    """Return the history of a cluster with two workers that has all it wants, and all is ready."""
    told = Told()
    told.sees(resource(TWO_WORKERS), service(), head(), worker("w1"), worker("w2"))
    told.closes("active/0")
    return told


def condition(status: Raw, type_: str) -> tuple[str, str, str] | None:
    """Return status, reason and message of a condition."""
    for entry in entries_at(status, "conditions"):
        if entry["type"] == type_:
            return str(entry["status"]), str(entry["reason"]), str(entry["message"])
    return None


def since(status: Raw, type_: str) -> str:
    """Return when a condition last changed."""
    found = {str(entry["type"]): entry for entry in entries_at(status, "conditions")}
    return str(found[type_]["lastTransitionTime"])


def refused(verb: str, rule: str, name: str) -> Trouble:
    """Return something that the API server refused for lack of quota."""
    return Trouble(verb=verb, rule=rule, kind="pod", name=name, message="exceeded quota: pods=4")


def invalid(message: str) -> Trouble:
    """Return what the reconciler says of a spec that makes no sense."""
    return Trouble(
        verb="validate",
        rule="InvalidRayClusterSpec",
        kind="raycluster",
        name="demo",
        message=message,
    )
