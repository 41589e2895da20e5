"""What the courier counts, by subscription."""

from shared.telemetry.metrics import counter, gauge, seconds

_ONE = ("subscription",)

DELIVERED = counter("courier_delivered", "Events that a sink has taken.", _ONE)
RETRIED = counter("courier_retried", "Tries that failed and are made again.", _ONE)
REFUSED = counter("courier_refused", "Events that a sink will never take.", _ONE)
UNDELIVERED = counter("courier_undelivered", "Events that were given up.", _ONE)
UNDECIDED = counter("courier_undecided", "Events that a CEL filter could not judge.", _ONE)
LAG = gauge("courier_lag", "Events that wait, or are being sent.", _ONE)
BLOCKED = gauge("courier_blocked", "Nothing is sent, for this reason.", (*_ONE, "reason"))
PROBLEMS = gauge("courier_file_problems", "What is wrong with the subscription file.")
SENDING = seconds("courier_sending", "One request to a sink.")
