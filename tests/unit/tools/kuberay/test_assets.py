"""The operator is taken from the cache, else it is said in one line what is missing."""

from pathlib import Path

from tools.kuberay.assets import PROGRAM, Operator, cache_folder, find, version
from tools.realkube.assets import Missing


def environment(tmp_path: Path) -> dict[str, str]:
    """An environment with a cache of its own and nothing on its path."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path / "bin")}


def test_takes_what_was_built(tmp_path: Path) -> None:
    own = environment(tmp_path)
    folder = cache_folder(own)
    folder.mkdir(parents=True)
    (folder / PROGRAM).touch(mode=0o755)

    assert find(own) == Operator(program=str(folder / PROGRAM), version=version())


def test_says_how_to_build_where_go_is(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "go").touch(mode=0o755)

    assert find(environment(tmp_path)) == Missing(
        because=f"KubeRay {version()} not built yet: `python -m tools.kuberay build` does it once",
        buildable=True,
    )


def test_says_in_one_line_that_go_is_absent(tmp_path: Path) -> None:
    assert find(environment(tmp_path)) == Missing(
        because=f"no KubeRay {version()}: no Go to build it with", buildable=False
    )


def test_a_cached_build_names_the_version_that_is_pinned(tmp_path: Path) -> None:
    assert cache_folder(environment(tmp_path)).name.startswith(f"{version()}-")
