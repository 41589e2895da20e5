"""A history in which one concern decides alone, with what it wants acts to carry."""

from collections.abc import Callable, Iterable

from services.reconciler.decisions.decision import Context, Draft, seal
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from shared.actions.objects import Action
from shared.aggregates.phases import phase_of
from shared.events.decisions import WAKE, Decided
from shared.events.objects import ChildSeen
from tests.support.builders import CONTEXT, child_meta
from tests.support.plot import Plot

Words = Callable[[Situation], tuple[str, ...]]


def _nothing(_: Situation) -> tuple[str, ...]:
    return ()


class ConcernPlot(Plot):
    """A plot whose reconciler knows these concerns only, in this order."""

    def __init__(
        self,
        *concerns: Callable[[Situation], Iterable[Action]],
        marks: Words = _nothing,
        because: Words = _nothing,
        context: Context = CONTEXT,
    ) -> None:
        super().__init__(context)
        self._concerns = concerns
        self._marks = marks
        self._because = because

    def decides(self) -> Decided | None:
        view = self.view()
        if view.open and WAKE not in view.woken:
            return None
        found = situation_of(view, self.context)
        assert isinstance(found, Situation), found
        actions = tuple(action for concern in self._concerns for action in concern(found))
        draft = Draft(
            phase=phase_of(view.status),
            actions=actions,
            manifests=found.manifests(actions),
            noted=self._marks(found),
            because=self._because(found),
        )
        return seal(view, draft, self.context)


def child(kind: str, name: str, spec: dict[str, object] | None = None, **more: int) -> ChildSeen:
    """Something the cluster owns, as seen; `version` is its resourceVersion."""
    return ChildSeen(meta=child_meta(name, more.get("version", 10), {}), kind=kind, spec=spec or {})
