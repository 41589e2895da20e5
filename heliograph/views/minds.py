"""What the operator has in mind for a resource: all of it stands in the last act. Pure."""

from heliograph.views.wishes import wishes_of
from shared.aggregates.troubles import troubles
from shared.aggregates.view import View
from shared.events.decisions import Timer, Trouble


def mind_of(view: View) -> dict[str, object]:
    """Return the open act, what is expected, armed, wanted, refused and noted; no empty parts."""
    act = view.act
    if act is None:
        return {}
    found: dict[str, object] = {
        "lastAct": {
            "id": act.id,
            "decided": wishes_of(act),
            "because": list(act.because),
            "basedOn": act.based_on,
            "answered": "open" if view.open else "yes" if act.actions else "nothing was asked for",
        },
        "expects": {
            f"{one.kind} {one.name}": f"to see its {one.what}, since {one.since.isoformat()}"
            for one in view.expectations
        },
        "timers": {one.name: _timer(one, woken=one.name in view.woken) for one in act.timers},
        "asks": {one.name: one.because for one in act.wants},
        "troubles": {_about(one): one.message for one in troubles(view)},
        "refusals": act.refusals,
        "notes": list(act.noted),
    }
    return {name: value for name, value in found.items() if value}


def _timer(timer: Timer, *, woken: bool) -> str:
    when = "went off" if woken else "due"
    return f"{when} {timer.due_at.isoformat()}: {timer.because}"


def _about(trouble: Trouble) -> str:
    about = f"group {trouble.group}" if trouble.group else trouble.name
    return f"{trouble.verb} {trouble.kind} {about}"
