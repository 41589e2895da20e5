"""What would do where something else stands, and the place where it stands."""

from collections.abc import Mapping
from typing import Literal

import msgspec
import pytest
from msgspec import Struct

from heliograph.simulator.choices import choices, placed


class Fruit(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document of tests."""

    taste: Literal["", "sweet", "sour"] = ""
    core: int = 0


class Basket(Struct, kw_only=True, forbid_unknown_fields=True):
    """A document around it."""

    fruits: tuple[Fruit, ...] = ()
    by_name: dict[str, Literal["ripe", "rotten"]] = msgspec.field(
        default_factory=dict, name="byName"
    )
    weights: dict[str, int] = msgspec.field(default_factory=dict)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"fruits": [{}, {"taste": "salty"}]}, "fruits[1].taste: 'salty' is none of sour, sweet"),
        ({"fruits": [{"core": "x"}]}, "fruits[0].core: Expected `int`, got `str`"),
        (
            {"byName": {"apple": "ripe", "pear": "green"}},
            "byName.pear: 'green' is none of ripe, rotten",
        ),
        ({"weights": {"apple": "x"}}, "weights: Expected `int`, got `str`"),
        ({"fruit": []}, "fruit: there is no such field (there is fruits, byName, weights)"),
        (
            {"fruits": [{"seed": 1}]},
            "fruits[0].seed: there is no such field (there is taste, core)",
        ),
    ],
)
def test_the_place_comes_first_and_what_would_do_last(
    document: Mapping[str, object], sentence: str
) -> None:
    with pytest.raises(msgspec.ValidationError) as told:
        msgspec.convert(document, Basket)

    assert placed(str(told.value), document, Basket) == sentence


def test_of_many_those_are_told_that_are_close() -> None:
    many = [f"field{number}" for number in range(20)] + ["suspend"]

    assert choices("suspended", many) == "did you mean suspend?"
    assert choices("zzz", many).endswith("field11 and 9 more")


def test_few_are_told_all() -> None:
    assert choices("x", ["a", "b"]) == "there is a, b"
    assert choices("x", []) == "there is none"
