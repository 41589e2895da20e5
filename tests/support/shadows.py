"""The log of a shadow, told step by step: it decides, and another operator acts."""

from datetime import timedelta

from heliograph.views.parity import Comparing, Parity
from heliograph.views.supposing import Would, would_with
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.actions.outcomes import Overtaken
from shared.events import subjects
from shared.events.decisions import Decided, SettingsUsed
from shared.events.modes import NOT_DONE, ModeChosen
from shared.events.objects import ResourceSeen
from shared.events.records import KindListed
from tests.support.builders import CONTEXT, cluster_spec, group, resource
from tests.support.plot import Plot

KINDS = ("raycluster", "pod", "service")
WITHIN = timedelta(seconds=30)


def would() -> Would:
    """Ask the installed rules in the settings of tests."""
    return would_with({digest_of(CONTEXT.settings): as_plain(CONTEXT.settings)})


def cluster(workers: int, generation: int = 1) -> ResourceSeen:
    """A RayCluster with so many workers."""
    spec = cluster_spec(group(replicas=workers))
    return resource(spec, generation=generation, version=generation)


class Shadow(Plot):
    """A history in which nothing that is decided is done here."""

    def __init__(self) -> None:
        super().__init__()
        self.append(subjects.MODE, ModeChosen(shadow=True))
        digest = digest_of(CONTEXT.settings)
        used = SettingsUsed(digest=digest, settings=as_plain(CONTEXT.settings))
        self.append(subjects.settings(digest), used)
        for kind in KINDS:
            listed = KindListed(kind=kind, session="s", number=1, resource_version=1, count=0)
            self.append(subjects.sync(kind), listed)

    def thinks(self) -> Decided:
        """Decide, and leave it all undone."""
        act = self.commits()
        if act.actions:
            self.answers(act, *(Overtaken(because=NOT_DONE) for _ in act.actions))
        return act

    def compared(self, *, after: float = 0, within: timedelta = WITHIN) -> Parity:
        """Compare everything, so many seconds after the last record."""
        comparing = Comparing(would(), within)
        for record in self.records:
            comparing.take(record)
        return comparing.result(self.now + timedelta(seconds=after))
