"""Folders of machines: held while in use, swept when their owner is gone."""

import os
from pathlib import Path

from sandbox.ray.folders import covering, open_folder, rewrite, write_all


def test_what_a_killed_machine_left_is_swept(tmp_path: Path) -> None:
    left, lock = open_folder(tmp_path)
    (left / "pod").mkdir()
    os.close(lock)  # as the end of its process does

    mine, held = open_folder(tmp_path)

    assert not left.exists()
    os.close(held)
    assert mine.exists()


def test_what_is_in_use_stays(tmp_path: Path) -> None:
    first, one = open_folder(tmp_path)
    second, two = open_folder(tmp_path)

    assert first.exists()
    assert second.exists()
    os.close(one)
    os.close(two)


def test_a_file_that_is_written_again_stays_the_same_file(tmp_path: Path) -> None:
    write_all(tmp_path, {"a/hosts": b"a long line\n"})
    path = tmp_path / "a" / "hosts"
    before = path.stat().st_ino

    rewrite(path, b"short\n")

    assert path.read_bytes() == b"short\n"
    assert path.stat().st_ino == before


def test_nothing_of_a_longer_text_shows_before_the_file_is_cut() -> None:
    assert covering(b"10.128.0.3 b\n", len(b"10.128.0.33 long\n")) == b"10.128.0.3 b\n\n\n\n\n"
    assert covering(b"longer\n", 2) == b"longer\n"
