"""`heliograph crds` prints what the repository ships."""

from pathlib import Path

import pytest
import yaml

from heliograph.cli.app import main

SHIPPED = Path(__file__).resolve().parents[4] / "deploy" / "crds"


def test_prints_the_definitions_that_are_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crds"]) == 0
    told = list(yaml.load_all(capsys.readouterr().out, yaml.CSafeLoader))
    shipped = [
        yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for path in sorted(SHIPPED.glob("*.yaml"))
    ]

    assert sorted(told, key=lambda each: str(each["metadata"]["name"])) == shipped
    assert len(told) == 4
