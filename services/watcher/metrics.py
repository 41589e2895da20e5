"""What the watcher counts."""

from shared.telemetry.metrics import counter, gauge

PUBLISHED = counter("watcher_facts_published", "Facts written to the log.", ("kind",))
REFUSED = counter(
    "watcher_facts_refused", "Facts that met a newer record of their subject.", ("kind",)
)
COALESCED = counter(
    "watcher_facts_coalesced", "Facts left out for a newer one of the same object.", ("kind",)
)
UNUSABLE = counter(
    "watcher_objects_unusable", "Objects that are too large or lack what all have.", ("kind",)
)
RELISTS = counter("watcher_relists", "Lists of a kind, by what led to them.", ("kind", "because"))
SESSIONS = counter("watcher_sessions", "Reigns over a kind that were begun.", ("kind",))
ASKING = gauge("asker_errands", "Wants that are asked for now.")
TOLD = counter("asker_answers", "Answers that were news.")
