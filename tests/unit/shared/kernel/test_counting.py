"""How many of a thing, in words."""

from shared.kernel.counting import counted


def test_only_one_is_one_of_a_thing() -> None:
    assert [counted(number, "act") for number in (0, 1, 2)] == ["0 acts", "1 act", "2 acts"]
