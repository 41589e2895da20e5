"""The version is told in two places, and they agree."""

import tomllib

from heliograph import __version__
from tests.house.sources import HOME


def test_the_package_and_the_project_file_tell_the_same_version() -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["project"]["version"] == __version__
