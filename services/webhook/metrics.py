"""What the webhook counts."""

from shared.telemetry.metrics import counter, seconds

REVIEWS = counter("webhook_reviews", "Objects that were judged.", ("kind", "verdict"))
UNREADABLE = counter("webhook_unreadable", "Requests that are no review of ours.")
REVIEWING = seconds("reviewing", "Judging one object.")
CERTIFICATES = counter("webhook_certificates", "Certificates read anew.", ("outcome",))
