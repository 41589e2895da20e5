"""The front door: whose packages Python would take."""

import subprocess
import sys
from pathlib import Path

import pytest

from heliograph import __version__
from heliograph.__main__ import find_stranger, main

HOME = Path(__file__).resolve().parents[3]


def test_our_own_packages_are_no_strangers() -> None:
    assert find_stranger() is None


def test_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"heliograph {__version__}\n"


def test_refuses_politely_when_a_stranger_hides_our_packages(tmp_path: Path) -> None:
    package = tmp_path / "shared"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('a stranger ran')", encoding="utf-8")
    program = (
        f"import sys; sys.path[0:0] = [{str(tmp_path)!r}, {str(HOME)!r}]; "
        "from heliograph.__main__ import main; sys.exit(main([]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert done.returncode == 2
    assert f"the package 'shared' of {tmp_path}, not ours" in done.stderr
    assert "python -P -m heliograph" in done.stderr
