"""Ray is found where it was installed whole, and otherwise it is said how to install it."""

from pathlib import Path

import pytest

from tools.realray.environments import WHOLE, Environment, Missing, cache_folder, find
from tools.realray.pins import RAY, environment_name


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_says_how_to_install_what_is_missing(environment: dict[str, str]) -> None:
    found = find(environment)

    assert isinstance(found, Missing)
    assert "python -m tools.realray build" in found.because


def test_takes_what_was_installed_whole(environment: dict[str, str]) -> None:
    folder = cache_folder(environment)
    folder.mkdir(parents=True)
    (folder / WHOLE).touch()

    assert find(environment) == Environment(folder=folder)


def test_leaves_alone_what_was_broken_off(environment: dict[str, str]) -> None:
    folder = cache_folder(environment)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "ray").touch()

    assert isinstance(find(environment), Missing)


def test_the_name_tells_the_version_and_changes_with_every_part() -> None:
    names = {environment_name(parts) for parts in ((), ("a",), ("a", "b"), ("ab",))}

    assert len(names) == 4
    assert all(name.startswith(f"{RAY}-") for name in names)
