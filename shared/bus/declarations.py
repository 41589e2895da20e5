"""The streams and durable consumers of one installation, as values: the only place that says so.

RAYLOG is the story, RAYTIME holds armed timers and what they fire, KV_raymembers who is here, and
RAYPUB what everybody may hear. A fired timer is sourced into the log, so that it has its place in
the one order; the log has no per-message TTL, so that the copy stays when the original goes. RAYPUB
is fed by the server from the log's `life` facet, in order and each once; beside these events it
keeps those that a subscriber did not take. `streams.py` brings a server here.
"""

from collections.abc import Mapping
from datetime import timedelta

from msgspec import Struct

from shared.events.subjects import ALL_ACTS

LOG = "RAYLOG"
TIME = "RAYTIME"
NEWS = "RAYPUB"
PRESENCE = "KV_raymembers"
MEMBER_ROOT = "$KV.raymembers"

FIRED = "fire.*.*.*.*.*"
LIFE = "ray.*.*.*.*.life.*"
UNDELIVERED = "undelivered"
"""Where events stand that a subscriber did not take, by the subscription's name."""
WORKERS = ("executor", "scheduler")
ACK_WAIT = timedelta(seconds=10)
ACK_PENDING_MOST = 1000
LOG_DUPLICATES = timedelta(minutes=10)
DUPLICATES = timedelta(minutes=2)
MARKER_LIFE = timedelta(seconds=2)
PER_SUBJECT = 5000

Config = Mapping[str, object]


class Installation(Struct, frozen=True, kw_only=True):
    """What an operator of the bus may choose."""

    max_age: timedelta = timedelta(days=7)
    news_age: timedelta = timedelta(days=30)
    max_bytes: int = -1
    replicas: int = 1
    first_sequence: int = 1
    """Where a new log begins: above the end of the one that was lost."""


def nanoseconds(span: timedelta) -> int:
    """Return a span as the server counts it."""
    return round(span.total_seconds() * 1_000_000) * 1000


def _wildcards(pattern: str) -> str:
    return "".join(f"{{{{wildcard({part})}}}}" if part.isdigit() else part for part in pattern)


def streams(chosen: Installation) -> tuple[Config, ...]:
    """Return the streams in the order in which they must be made."""
    shared: Config = {"num_replicas": chosen.replicas, "storage": "file", "allow_direct": True}
    return (
        {
            **shared,
            "name": TIME,
            "subjects": ["timer.>", "fire.>"],
            "max_msgs_per_subject": 1,
            "discard": "old",
            "allow_msg_schedules": True,
            "allow_msg_ttl": True,
            "duplicate_window": nanoseconds(DUPLICATES),
        },
        {**shared, **_log(chosen)},
        {**shared, **_news(chosen)},
        {
            **shared,
            "name": PRESENCE,
            "subjects": [f"{MEMBER_ROOT}.>"],
            "max_msgs_per_subject": 1,
            "discard": "new",
            "allow_msg_ttl": True,
            "allow_rollup_hdrs": True,
            "subject_delete_marker_ttl": nanoseconds(MARKER_LIFE),
            "duplicate_window": nanoseconds(DUPLICATES),
        },
    )


def _log(chosen: Installation) -> Config:
    fired = {"src": FIRED, "dest": _wildcards("ray.1.2.3.4.fire.5")}
    return {
        "name": LOG,
        "subjects": ["ray.>"],
        "compression": "s2",
        "max_age": nanoseconds(chosen.max_age),
        "max_bytes": chosen.max_bytes,
        "max_msgs_per_subject": PER_SUBJECT,
        "max_msg_size": 1 << 20,
        "max_consumers": 256,
        "discard": "old",
        "duplicate_window": nanoseconds(LOG_DUPLICATES),
        "allow_atomic": True,
        "deny_delete": True,
        "sources": [{"name": TIME, "subject_transforms": [fired]}],
        "republish": {"src": LIFE, "dest": _wildcards("pub.3.2.4.5")},
    }


def _news(chosen: Installation) -> Config:
    life = {"src": LIFE, "dest": _wildcards("pub.3.2.4.5")}
    return {
        "name": NEWS,
        "subjects": [f"{UNDELIVERED}.>"],
        "compression": "s2",
        "max_age": nanoseconds(chosen.news_age),
        "max_msg_size": 1 << 20,
        "discard": "old",
        "deny_delete": True,
        "sources": [{"name": LOG, "subject_transforms": [life]}],
    }


def consumers() -> tuple[Config, ...]:
    """Return the durable consumers of the log: one per service that shares work by delivery."""
    return tuple(
        {
            "name": name,
            "durable_name": name,
            "filter_subject": ALL_ACTS,
            "ack_policy": "explicit",
            "ack_wait": nanoseconds(ACK_WAIT),
            "max_ack_pending": ACK_PENDING_MOST,
            "max_deliver": -1,
        }
        for name in WORKERS
    )
