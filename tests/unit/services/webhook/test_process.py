"""`heliograph run webhook` as a process: alone, without a log, from its start to its end."""

from pathlib import Path

from tests.support.processes import ending, free_port, wait_until
from tests.support.tls import make_certificate


def test_it_is_ready_alone_tells_metrics_and_ends_well(tmp_path: Path) -> None:
    folder = make_certificate(tmp_path / "certificate")
    own = {
        "HELIOGRAPH_WEBHOOK_CERT": str(folder / "tls.crt"),
        "HELIOGRAPH_WEBHOOK_KEY": str(folder / "tls.key"),
        "HELIOGRAPH_WEBHOOK_HOST": "127.0.0.1",
        "HELIOGRAPH_WEBHOOK_PORT": str(free_port()),
        "NATS_URL": "nats://127.0.0.1:1",
    }
    with ending(tmp_path) as here:
        process = here.start_service("webhook", "webhook", **own)
        wait_until(lambda: process.ready, "the webhook is ready")

        checks = process.asked("/readyz")[1]
        metrics = process.asked("/metrics")[1]
        code = process.end()

    assert '"webhook":"ok"' in checks
    assert '"bus"' not in checks
    assert "heliograph_webhook_unreadable_total" in metrics
    assert code == 0
