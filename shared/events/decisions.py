"""What was decided, and what came of it: the `act` and `res` facets.

An act states in full: its new actions, the effects of earlier acts that the view does not show
yet, and the timers wanted. So whoever reads the last act knows everything the operator has in mind
for the resource; nothing is kept in memory.
"""

from datetime import datetime

from msgspec import Struct, field

from shared.actions.objects import Action
from shared.actions.outcomes import Outcome
from shared.events.told import Want

WAKE = "wake"
"""The timer that ends an open act: what it asked for is looked at again."""
REFRESH = "refresh"
"""The timer that has an act written again before it ages out."""


class Seen(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an act rests on: who watched, which generation, which phase, and if it was going."""

    session: str
    generation: int
    phase: str
    deleting: bool = False


class Expectation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An effect of an act that the observations do not show yet.

    `what` is create, delete, change or gone. With a resourceVersion of 0 the outcome is unknown.
    `group` and `labels` are those that an unseen creation was asked for with. `asked` counts the
    readings that did not settle it; `error` is the last thing that came instead of an answer, and
    `rule` the one that asked for what ended so.
    """

    kind: str
    name: str
    what: str
    since: datetime
    uid: str = ""
    resource_version: int = 0
    group: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    error: str = ""
    rule: str = ""


class Timer(Struct, frozen=True, kw_only=True):
    """A wish to be woken."""

    name: str
    due_at: datetime
    because: str


class Trouble(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that the API server refused, in its own words, and the rule that asked for it.

    `outage` says that it was not there to do it; records from before do not have it.
    """

    verb: str
    rule: str
    kind: str
    name: str
    message: str
    group: str = ""
    outage: bool = False


class Decided(Struct, frozen=True, kw_only=True, tag="decided", omit_defaults=True):
    """One decision, whole. `id` covers its content and fence.

    `wants` is what to ask beside what is watched, `noted` names what people were told already,
    `troubles` what was refused and is waiting for another try, `refusals` how often in a row;
    `closing` says that the resource is gone.
    """

    id: str
    fence: int
    based_on: int
    decided_at: datetime
    seen: Seen
    rules: str
    settings: str
    because: tuple[str, ...]
    actions: tuple[Action, ...] = ()
    manifests: dict[str, dict[str, object]] = field(default_factory=dict)
    expectations: tuple[Expectation, ...] = ()
    timers: tuple[Timer, ...] = ()
    cancelled: tuple[str, ...] = ()
    wants: tuple[Want, ...] = ()
    noted: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    refusals: int = 0
    closing: bool = False


class Answered(Struct, frozen=True, kw_only=True, tag="answered", omit_defaults=True):
    """The outcomes of an act's actions, in their order."""

    act: str
    outcomes: tuple[Outcome, ...]
    destroyed: int = 0
    """How many of its deletions took work away and were ours to answer for."""


class SettingsUsed(Struct, frozen=True, kw_only=True, tag="settings_used", omit_defaults=True):
    """Settings that decisions name by digest, so that a replay decides with the same ones."""

    digest: str
    settings: dict[str, object]
