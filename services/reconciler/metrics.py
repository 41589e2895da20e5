"""What the reconciler counts."""

from shared.telemetry.metrics import counter, seconds

COMMITTED = counter("decisions_committed", "Decisions written to the log.")
BRAKED = counter("decisions_braked", "Decisions put off: one resource had too many in a row.")
LOST = counter("decisions_lost", "Decisions that another worker forestalled.")
DECIDING = seconds("deciding", "How long folding and deciding took.")
