"""A history in which the real reconciler decides and an executor that always succeeds answers."""

from itertools import count

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
)
from shared.actions.outcomes import Done, Outcome
from shared.events.decisions import Decided
from shared.events.objects import Observation
from tests.support.builders import CONTEXT, cluster_spec, group, resource
from tests.support.history import History

LOOKED_AT = "generation {} asks for nothing that is not there"


class Plot(History):
    """A history in which the real reconciler decides."""

    def __init__(self, context: Context = CONTEXT) -> None:
        super().__init__()
        self.context = context
        self._versions = count(1000)

    def decides(self) -> Decided | None:
        return decide(self.view(), self.context)

    def commits(self) -> Decided:
        """The reconciler decides something and writes it."""
        act = self.decides()
        assert act is not None, "there was nothing to decide"
        self.acts(act)
        return act

    def asks(self) -> tuple[Action, ...]:
        """What would be asked for now."""
        act = self.decides()
        return act.actions if act else ()

    def left_alone(self) -> bool:
        """Whether all that is written is that this generation was looked at, and that once."""
        act = self.commits()
        looked_at = (LOOKED_AT.format(act.seen.generation),)
        return (act.actions, act.because) == ((), looked_at) and self.decides() is None

    def executes(self, act: Decided) -> None:
        """Every action of the act succeeds, and nothing of it is seen yet."""
        self.answers(act, *(self._success(action) for action in act.actions))

    def settles(self, *observations: Observation) -> None:
        """Decide, execute and see until nothing is left to do; at most ten rounds."""
        self.sees(*observations)
        for _ in range(10):
            act = self.decides()
            if act is None:
                return
            self.acts(act)
            self.executes(act)
        raise AssertionError("this does not settle")

    def _success(self, action: Action) -> Outcome:
        match action:
            case CreateObject() | ConfirmObject():
                return Done(uid=f"uid-of-{action.name}", resource_version=next(self._versions))
            case DeleteObject():
                return Done(uid=action.uid, resource_version=next(self._versions), deleting=True)
            case PatchObject():
                return Done(uid=action.uid, resource_version=next(self._versions))
            case PostNotice() | SubmitJob() | StopJob() | ConfigureServe():
                return Done()


def names(act: Decided | None) -> list[tuple[str, str]]:
    """What an act does, and to what."""
    found = []
    for action in act.actions if act else ():
        verb = type(action).__name__.removesuffix("Object").lower()
        found.append((verb, getattr(action, "name", "")))
    return found


def begun(workers: int = 1) -> tuple[Plot, Decided]:
    """A cluster whose first act is written and unanswered."""
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", workers))))
    return plot, plot.commits()
