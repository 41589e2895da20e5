"""What the executor counts."""

from shared.telemetry.metrics import counter, seconds

OUTCOMES = counter("actions", "Actions by what came of them.", ("action", "outcome"))
ABANDONED = counter("acts_given_up", "Acts that were left to another hand.")
CARRYING_OUT = seconds("carrying_out", "How long an act took to carry out.")
