"""`heliograph crds` prints what the repository ships."""

from pathlib import Path

import pytest
import yaml

from heliograph.cli.app import main

SHIPPED = Path(__file__).resolve().parents[4] / "deploy" / "crds" / "ray.io_rayclusters.yaml"


def test_prints_the_definitions_that_are_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds"]) == 0
    told, shipped = (
        yaml.load(text, yaml.CSafeLoader)
        for text in (capsys.readouterr().out, SHIPPED.read_text(encoding="utf-8"))
    )
    assert told == shipped
