"""A certificate for a server on this machine, made by what we ship for the webhook."""

import shutil
from pathlib import Path

import pytest

from tests.support.processes import run

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "manifests" / "webhook" / "certificate.sh"


def make_certificate(folder: Path) -> Path:
    """Make one, or renew the one that is there; return the folder."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on the path: it makes the certificate")
    made = run("sh", str(SCRIPT), str(folder), "IP:127.0.0.1", "DNS:localhost")
    assert made.returncode == 0, made.stderr
    return folder
