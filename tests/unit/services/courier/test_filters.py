"""Which events are wanted."""

import builtins
from collections.abc import Mapping, Sequence

import pytest

from services.courier import expressions
from services.courier.filters import BadFilterError, Filter, checked_filter, overlap, wants_of
from tests.unit.services.courier.news import event


def wanted(cel: str = "", types: tuple[str, ...] = (), failed: int = 2) -> bool | None:
    return wants_of(Filter(types=types, cel=cel))(event(failed=failed))


def test_without_a_word_everything_is_wanted() -> None:
    assert wanted() is True


@pytest.mark.parametrize(
    ("pattern", "verdict"),
    [
        ("io.heliograph.rayjob.*", True),
        ("io.heliograph.*.failed.v1", True),
        ("io.heliograph.rayjob.failed.v1", True),
        ("io.heliograph.raycluster.*", False),
        ("io.heliograph.rayjob.failed", False),
    ],
)
def test_types_may_hold_stars(pattern: str, verdict: bool) -> None:
    assert wanted(types=(pattern,)) is verdict


def test_one_of_the_types_is_enough() -> None:
    assert wanted(types=("io.heliograph.raycluster.*", "io.heliograph.rayjob.*")) is True


@pytest.mark.parametrize(
    ("cel", "verdict"),
    [
        ("event.data.state.attempts_failed > 1", True),
        ("event.data.state.attempts_failed > 2", False),
        ("event.subject == 'one' && event.type.startsWith('io.heliograph.rayjob.')", True),
        ("event.data.resource.namespace in ['team-b']", False),
        ("has(event.data.state.reason)", False),
    ],
)
def test_an_expression_looks_at_the_whole_event(cel: str, verdict: bool) -> None:
    assert wanted(cel) is verdict


def test_what_an_expression_cannot_tell_is_not_wanted() -> None:
    assert wanted("event.data.state.attempts_failed > 1", failed=0) is None
    assert wanted("event.subject") is None
    assert expressions.program("event.word == 'a'").holds({"event": {"word": "\ud800"}}) is None


def test_both_must_agree() -> None:
    assert wanted("true", types=("io.heliograph.raycluster.*",)) is False
    assert wanted("false", types=("io.heliograph.rayjob.*",)) is False


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("pub.a.b", "pub.a.b", True),
        ("pub.a.b", "pub.a.c", False),
        ("pub.a.*", "pub.*.b", True),
        ("pub.a.>", "pub.*.b.c", True),
        ("pub.a.>", "pub.b.>", False),
        ("pub.a", "pub.a.b", False),
        ("pub.>", "pub.a", True),
    ],
)
def test_filters_that_overlap_are_known(one: str, other: str, both: bool) -> None:
    assert overlap(one, other) is both
    assert overlap(other, one) is both


def test_an_empty_list_of_subjects_is_everything() -> None:
    assert checked_filter(Filter(subjects=())).subjects == ("pub.>",)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        if name.startswith("cel_expr_python"):
            raise ImportError(name)
        return real(name, globals_, locals_, fromlist, level)

    expressions._environment.cache_clear()
    monkeypatch.setattr(builtins, "__import__", importing)
    with pytest.raises(BadFilterError, match=r"heliograph\[cel\]"):
        checked_filter(Filter(cel="event.type == 'nobody compiled this before'"))
    expressions._environment.cache_clear()
