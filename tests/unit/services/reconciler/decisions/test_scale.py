"""However much a cluster lacks, deciding works out no more than one act can hold."""

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import ACTIONS_MAX
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from services.reconciler.decisions.raycluster.worker_groups import size
from shared.aggregates.view import View
from tests.support.builders import CONTEXT, cluster_spec, group, head, resource, service, worker
from tests.support.history import History


def growing(wanted: int) -> View:
    """A cluster of which few workers are there."""
    history = History()
    pods = (worker(f"w{number}") for number in range(ACTIONS_MAX))
    history.sees(resource(cluster_spec(group(replicas=wanted))), service(), head(), *pods)
    return history.view()


def test_a_group_asks_for_no_more_than_one_act_holds() -> None:
    found = situation_of(growing(1000), CONTEXT)
    assert isinstance(found, Situation)

    assert len(list(size(found))) == ACTIONS_MAX


def test_the_act_is_full_and_says_how_much_is_missing() -> None:
    act = decide(growing(1000), CONTEXT)

    assert act is not None
    assert len(act.actions) == ACTIONS_MAX
    assert act.because == ("group small has 64 of 1000 workers",)
