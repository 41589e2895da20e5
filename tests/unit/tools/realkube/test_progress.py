"""Long work says how far it is."""

import io

import pytest

from tools.realkube.progress import Progress, sentence


@pytest.mark.parametrize(
    ("done", "total", "seconds", "told"),
    [
        (3, 10, 5.9, "packages: 3 of 10, 0:05"),
        (700, 2545, 123.0, "packages: 700 of 2545, 2:03"),
        (4, 0, 3600.0, "packages: 4, 60:00"),
    ],
)
def test_says_how_many_of_how_many_and_for_how_long(
    done: int, total: int, seconds: float, told: str
) -> None:
    assert sentence("packages", done, total, seconds) == told


def test_outside_a_terminal_it_tells_whole_lines_and_always_the_end() -> None:
    output = io.StringIO()
    progress = Progress("packages", total=2, output=output)

    progress.advance()
    progress.advance()
    progress.finish()

    assert output.getvalue() == "packages: 2 of 2, 0:00\n"
