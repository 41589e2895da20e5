"""Which subjects a filter names."""

import pytest

from shared.bus.matching import matcher


@pytest.mark.parametrize(
    ("pattern", "named", "not_named"),
    [
        ("ray.sync.pod", ("ray.sync.pod",), ("ray.sync.pods", "ray.sync", "ray.sync.pod.x")),
        ("ray.*.act", ("ray.1.act", "ray.x-y.act"), ("ray.act", "ray.1.2.act", "ray..act")),
        ("ray.1.>", ("ray.1.a", "ray.1.a.b"), ("ray.1", "ray.10.a", "xray.1.a")),
        ("$KV.m.*", ("$KV.m.a=3A_b",), ("KV.m.a", "$KV.m")),
    ],
)
def test_names_its_subjects_and_no_others(
    pattern: str, named: tuple[str, ...], not_named: tuple[str, ...]
) -> None:
    matches = matcher([pattern])

    assert [subject for subject in (*named, *not_named) if matches(subject)] == list(named)


def test_any_of_several_filters_is_enough() -> None:
    matches = matcher(["ray.1.>", "ray.2.>"])

    assert [matches(f"ray.{number}.x") for number in (1, 2, 3)] == [True, True, False]
