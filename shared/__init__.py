"""Words and tools that more than one service needs.

`kernel`, `resources`, `events`, `actions`, `aggregates` and `ports` are the pure core: no network,
clock, environment or chance. `bus`, `kube`, `telemetry` and `runtime` touch the world for it.
"""
