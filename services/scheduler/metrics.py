"""What the scheduler counts."""

from shared.telemetry.metrics import counter

ARMED = counter("timers_armed", "Timers armed or moved.")
CANCELLED = counter("timers_cancelled", "Timers cancelled.")
REPAIRED = counter("timers_repaired", "Timers armed or cancelled by comparison with the log.")
