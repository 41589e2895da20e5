"""What the executor counts."""

from shared.telemetry.metrics import counter, gauge, seconds

OUTCOMES = counter("actions", "Actions by what came of them.", ("action", "outcome"))
ABANDONED = counter("acts_given_up", "Acts that were left to another hand.")
CARRYING_OUT = seconds("carrying_out", "How long an act took to carry out.")
HELD_BACK = counter("deletions_held_back", "Deletions beyond the budget, held back.")
SPENT = gauge("destructive_budget_spent", "Deletions in the fleet within the budget's window.")
TRIPPED = gauge("breaker_tripped", "Whether the fleet's budget of deletions is used up.")
