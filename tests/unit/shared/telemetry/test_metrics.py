"""Names of metrics and their exposition."""

from shared.telemetry.metrics import REGISTRY, counter, exposition, gauge, seconds


def test_our_metrics_carry_our_name() -> None:
    counter("test_things", "Things.", ("kind",)).labels("a").inc()
    gauge("test_level", "A level.").set(3)
    seconds("test_span", "A span.").observe(0.2)

    assert REGISTRY.get_sample_value("heliograph_test_things_total", {"kind": "a"}) == 1
    assert REGISTRY.get_sample_value("heliograph_test_level") == 3
    assert REGISTRY.get_sample_value("heliograph_test_span_seconds_bucket", {"le": "0.25"}) == 1


def test_the_exposition_tells_of_the_process_too() -> None:
    assert b"process_resident_memory_bytes" in exposition()
