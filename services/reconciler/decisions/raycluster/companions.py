"""What holds for every object beside the pods.

It is asked for if the cluster neither has it nor waits for it; what is on its way out still holds
its name. Some things are remembered in acts as marks: warnings that people had for this generation,
and what an answer told of objects that nobody shows us. A mark lives as long as acts carry it.
"""

from collections.abc import Iterator, Mapping

from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import Notice, ObjectAction, PostNotice, Words
from shared.actions.outcomes import Outcome
from shared.aggregates.expectations import answered


def lacks(found: Situation, kind: str, name: str) -> bool:
    """Whether there is no such object, and none on its way."""
    state = found.state
    there = name in state.services if kind == "service" else (kind, name) in state.children
    return not there and (kind, name) not in state.unsettled


def place(found: Situation, name: str) -> str:
    """Return where people find an object."""
    return f"{found.cluster.namespace}/{name}"


def creation_notice(reason: str, what: str, where: str) -> Notice:
    """Return what people are told about a creation."""
    return Notice(
        done=Words(reason=f"Created{reason}", message=f"Created {what} {where}"),
        refused=Words(
            reason=f"FailedToCreate{reason}", message=f"Failed creating {what} {where}, "
        ),
    )


def noted(found: Situation, mark: str) -> bool:
    """Whether the last act carries this mark."""
    return found.view.act is not None and mark in found.view.act.noted


def mark(found: Situation, about: str) -> str:
    """Return the mark of something that counts for this generation only."""
    generation = found.view.own.meta.generation if found.view.own else 0
    return f"{about}/{generation}"


def untold(found: Situation, warnings: Mapping[str, PostNotice]) -> Iterator[PostNotice]:
    """Yield the warnings whose marks no act carries yet."""
    return (warning for key, warning in warnings.items() if not noted(found, key))


def outcomes(found: Situation, kind: str, name: str) -> Iterator[Outcome]:
    """Yield what the last act's answer tells of an object."""
    view = found.view
    for action, outcome in answered(view.act, view.answer) if view.act else ():
        if isinstance(action, ObjectAction) and (action.kind, action.name) == (kind, name):
            yield outcome
