"""The same command as a kubectl plugin."""

import subprocess
import sys
from pathlib import Path

from tests.contract.test_histories import KEY
from tests.house.sources import HOME
from tests.support.processes import KUBECTL
from tests.unit.heliograph.cli.recorded import capsule_of


def test_kubectl_finds_and_runs_us(tmp_path: Path) -> None:
    """The script that an installation makes of `[project.scripts]`, on a PATH of its own."""
    plugin = tmp_path / "kubectl-heliograph"
    plugin.write_text(
        f"#!{sys.executable}\nimport sys\nfrom heliograph.__main__ import main\nsys.exit(main())\n"
    )
    plugin.chmod(0o755)
    capsule = str(capsule_of("worker-failed", tmp_path))
    words = [KUBECTL, "heliograph", "why", str(KEY), "--capsule", capsule]
    said = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd=HOME,
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": str(HOME)},
    )

    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith("raycluster first is ready; the last that befell it: pod")


def test_an_installation_makes_the_plugin() -> None:
    text = (HOME / "pyproject.toml").read_text(encoding="utf-8")

    assert 'kubectl-heliograph = "heliograph.__main__:main"' in text
