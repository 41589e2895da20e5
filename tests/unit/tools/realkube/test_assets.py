"""Programs are taken where they are given, else from the cache, else it is said what is missing."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.realkube.assets import GIVEN, Assets, Missing, cache_folder, find
from tools.realkube.pins import PROGRAMS


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own and nothing on its path."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path / "bin")}


def paths(folder: Path, *names: str) -> Mapping[str, str]:
    return {name: str(folder / name) for name in names}


def test_takes_what_was_built(environment: dict[str, str]) -> None:
    cached = fill(cache_folder(environment), *PROGRAMS)

    assert find(environment) == Assets(programs=paths(cached, *PROGRAMS))


def test_what_is_given_wins_and_the_cache_fills_the_rest(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    cached = fill(cache_folder(environment), *PROGRAMS)
    given = fill(tmp_path / "given", "etcd", "kube-apiserver", "kubectl")
    environment[GIVEN] = str(given)

    assert find(environment) == Assets(
        programs={
            **paths(given, "etcd", "kube-apiserver"),
            **paths(cached, "kube-controller-manager"),
        }
    )


def test_says_how_to_build_where_go_is(tmp_path: Path, environment: dict[str, str]) -> None:
    fill(tmp_path / "bin", "go")
    environment[GIVEN] = str(fill(tmp_path / "given", "etcd", "kube-apiserver"))

    assert find(environment) == Missing(
        because="kube-controller-manager not built yet: "
        "`python -m tools.realkube build` does it once",
        buildable=True,
    )


def test_says_what_is_missing_where_nothing_can_be_built(environment: dict[str, str]) -> None:
    assert find(environment) == Missing(
        because="no etcd, kube-apiserver, kube-controller-manager: "
        "no Go to build it with, and not in KUBEBUILDER_ASSETS",
        buildable=False,
    )


def test_a_file_that_cannot_be_run_is_no_program(environment: dict[str, str]) -> None:
    cached = fill(cache_folder(environment), *PROGRAMS)
    (cached / "etcd").chmod(0o644)

    assert find(environment) == Missing(
        because="no etcd: no Go to build it with, and not in KUBEBUILDER_ASSETS", buildable=False
    )
