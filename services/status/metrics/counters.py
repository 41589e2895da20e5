"""What the status service counts."""

from shared.telemetry.metrics import counter, gauge, seconds

WRITTEN = counter("statuses_written", "Statuses written to Kubernetes.")
TOLD = counter("lifecycle_events", "Lifecycle events that were told.", ("kind", "event"))
CONFLICTS = counter("status_conflicts", "Status writes that came after newer news.")
UNREADABLE = gauge("resources_unreadable", "Resources left alone: a record cannot be read.")
ASSESSING = seconds("assessing", "How long assessing a status took.")
