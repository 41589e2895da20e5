"""What `heliograph replay` says: how much is the same, the first difference, what is missing."""

from heliograph.cli.replay import SHOWN_MAX, report
from heliograph.views.replay import Verdict
from shared.kernel.keys import ResourceKey

ONE = ResourceKey("raycluster", "default", "one")
TWO = ResourceKey("raycluster", "default", "two")


def same(key: ResourceKey, sequence: int) -> Verdict:
    return Verdict(key=key, sequence=sequence)


def test_all_is_the_same() -> None:
    assert report([same(ONE, 3)]) == ["1 of 1 decision of 1 resource are identical", "identical"]
    assert report([same(ONE, 3), same(TWO, 5)]) == [
        "2 of 2 decisions of 2 resources are identical",
        "identical",
    ]


def test_there_is_nothing_to_compare() -> None:
    assert report([]) == ["the log holds no decisions"]


def test_only_the_first_difference_is_explained_and_not_without_end() -> None:
    apart = tuple(f"line {number}" for number in range(SHOWN_MAX + 3))
    verdicts = [
        same(ONE, 1),
        Verdict(key=ONE, sequence=4, differences=apart),
        Verdict(key=TWO, sequence=9, differences=("other",)),
    ]

    assert report(verdicts) == [
        "1 of 3 decisions of 2 resources are identical",
        "first difference: raycluster/default/one, act 4",
        *(f"  line {number}" for number in range(SHOWN_MAX)),
        "  and 3 more",
        "2 differ",
    ]


def test_what_cannot_be_compared_is_told() -> None:
    missing = Verdict(key=ONE, sequence=1, missing=True)

    assert report([missing, same(ONE, 4)]) == [
        "1 of 2 decisions of 1 resource are identical",
        "1 not compared: what they rest on is no longer in the log",
        "identical",
    ]
    assert report([missing]) == [
        "0 of 1 decision of 1 resource are identical",
        "1 not compared: what they rest on is no longer in the log",
        "nothing could be compared",
    ]
