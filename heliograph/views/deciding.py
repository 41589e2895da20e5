"""Decide a view again with the installed rules, in the settings that its act names. Pure."""

from collections.abc import Iterable, Mapping

import msgspec

from heliograph.views.replay import Again, settings_in
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.envelope import Record


def deciding(records: Iterable[Record]) -> Again:
    """Return how to decide a view again: with the settings that the act named."""
    return deciding_with(settings_in(records))


def deciding_with(known: Mapping[str, Mapping[str, object]]) -> Again:
    """Return how to decide a view again, of settings by digest; each is read once."""
    read: dict[str, DecisionSettings] = {}

    def again(view: View, act: Decided) -> Decided | None:
        settings = read.get(act.settings)
        if settings is None:
            settings = msgspec.convert(known[act.settings], DecisionSettings)
            read[act.settings] = settings
        return decide(view, Context(settings=settings, session=act.seen.session))

    return again
