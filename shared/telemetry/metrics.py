"""The registry behind `/metrics` and the names in it.

Every metric of ours begins with `heliograph_`; those under KubeRay's names are made with their full
name by the fold that feeds them. Metrics stand beside the code that counts.
"""

from collections.abc import Sequence

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

PREFIX = "heliograph"
REGISTRY = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


def counter(name: str, sentence: str, labels: Sequence[str] = ()) -> Counter:
    """Make something that only grows: `heliograph_<name>_total`."""
    return Counter(name, sentence, labels, namespace=PREFIX, registry=REGISTRY)


def gauge(name: str, sentence: str, labels: Sequence[str] = ()) -> Gauge:
    """Make something that goes up and down: `heliograph_<name>`."""
    return Gauge(name, sentence, labels, namespace=PREFIX, registry=REGISTRY)


def seconds(name: str, sentence: str, labels: Sequence[str] = ()) -> Histogram:
    """Make a distribution of spans: `heliograph_<name>_seconds`."""
    return Histogram(
        f"{name}_seconds", sentence, labels, namespace=PREFIX, registry=REGISTRY, buckets=SECONDS
    )


def exposition() -> bytes:
    """Return all metrics in Prometheus' text format."""
    return generate_latest(REGISTRY)
