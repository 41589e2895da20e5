"""Parts of Serve's answers that say nothing about the applications, but are always there. Pure.

Defaults of Ray 2.60, and the controller's own health figures: made up from its age alone, steady
where the real ones flicker. Read next: serve.py.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

HTTP_OPTIONS: Mapping[str, Any] = {
    "host": "0.0.0.0",
    "port": 8000,
    "root_path": "",
    "request_timeout_s": None,
    "keep_alive_timeout_s": 90,
    "ssl_keyfile": None,
    "ssl_certfile": None,
    "ssl_keyfile_password": None,
    "ssl_ca_certs": None,
}
GRPC_OPTIONS: Mapping[str, Any] = {
    "port": 9000,
    "grpc_servicer_functions": [],
    "request_timeout_s": None,
    "enable_reflection": True,
}
DEPLOYMENT_DEFAULTS: Mapping[str, Any] = {
    "name": "",
    "num_replicas": 1,
    "max_ongoing_requests": 5,
    "max_queued_requests": -1,
    "backpressure_config": {"status_code": 503, "retry_after_s": None},
    "user_config": None,
    "graceful_shutdown_wait_loop_s": 2.0,
    "graceful_shutdown_timeout_s": 20.0,
    "health_check_period_s": 10.0,
    "health_check_timeout_s": 30.0,
    "ray_actor_options": {"num_cpus": 0.1},
    "request_router_config": {
        "request_router_class": (
            "ray.serve._private.request_router:PowerOfTwoChoicesRequestRouter"
        ),
        "request_router_kwargs": {},
        "request_routing_stats_period_s": 10.0,
        "request_routing_stats_timeout_s": 30.0,
        "initial_backoff_s": 0.025,
        "backoff_multiplier": 2.0,
        "max_backoff_s": 0.5,
    },
    "rolling_update_percentage": 0.2,
    "max_surge_percent": 0,
}
_LOOPS_A_SECOND = 9.0
_SPREAD: Mapping[str, float] = {"mean": 0.004, "std": 0.002, "min": 0.002, "max": 0.01}
_SPREADS = (
    "loop_duration_s",
    "deployment_state_update_duration_s",
    "application_state_update_duration_s",
    "proxy_state_update_duration_s",
    "node_update_duration_s",
)
_EMPTY = (
    "handle_ingest_duration_ms",
    "replica_ingest_duration_ms",
    "metrics_decompress_duration_ms",
    "columnar_decode_duration_ms",
    "handle_metrics_delay_ms",
    "replica_metrics_delay_ms",
)
_COUNTS = ("handle_reports_received", "replica_reports_received", "ingest_reports_received")


def health_metrics(since: datetime, now: datetime) -> dict[str, Any]:
    """Write the controller's figures about itself."""
    uptime = (now - since).total_seconds()
    return {
        "timestamp": now.timestamp(),
        "controller_start_time": since.timestamp(),
        "uptime_s": uptime,
        "last_control_loop_time": now.timestamp(),
        "num_control_loops": int(uptime * _LOOPS_A_SECOND),
        "loops_per_second": _LOOPS_A_SECOND,
        "last_sleep_duration_s": 0.1,
        "expected_sleep_duration_s": 0.1,
        "event_loop_delay_s": 0.0,
        "num_asyncio_tasks": 8,
        "ingest_cpu_fraction": 0.0,
        "process_memory_mb": 137.0,
        **{name: dict(_SPREAD) for name in _SPREADS},
        **{name: {} for name in _EMPTY},
        **dict.fromkeys(_COUNTS, 0),
    }
