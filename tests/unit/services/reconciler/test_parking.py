"""Where the rules broke, in words that may stand in the log."""

import pytest

from services.reconciler.decisions import decide as decisions
from services.reconciler.decisions.decision import Draft
from services.reconciler.parking import where_broken
from shared.aggregates.view import View
from shared.kernel.keys import parse_key
from tests.support.builders import cluster_spec, group, resource
from tests.support.plot import Plot

QUOTED = "s3cret"


def broken_by(error: Exception) -> Exception:
    """Decide with rules that break, and return what comes of it."""

    def breaking(_view: View, _context: object) -> Draft | None:
        raise error

    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "DRAFTERS", {"raycluster": breaking})
        with pytest.raises(type(error)) as told:
            plot.decides()
    return told.value


def test_names_the_error_and_the_last_function_of_ours_and_quotes_nothing() -> None:
    where = where_broken(broken_by(LookupError(QUOTED)))

    assert where == "LookupError in services.reconciler.decisions.decide.decide"


def test_a_flaw_below_the_rules_is_told_where_it_is() -> None:
    with pytest.raises(ValueError, match="KIND/NAMESPACE/NAME") as told:
        parse_key("s3cret")

    assert where_broken(told.value) == "ValueError in shared.kernel.keys.parse_key"


def test_an_error_that_depends_on_how_deep_one_was_names_no_place() -> None:
    assert where_broken(broken_by(RecursionError())) == "RecursionError"


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert where_broken(LookupError(QUOTED)) == "LookupError"


def test_a_record_of_it_counts_for_its_generation_and_until_the_next_act() -> None:
    plot = Plot()
    spec = cluster_spec(group("small", 1))
    plot.sees(resource(spec))
    plot.parks("here")
    parked = plot.view()
    plot.sees(resource(spec, version=5))
    seen_again = plot.view().parked
    plot.sees(resource(spec, generation=2, version=6))
    changed = plot.view().parked
    plot.parks("there")
    again = plot.view().parked
    plot.commits()

    assert parked.parking is not None
    assert (parked.parked, parked.parking.sequence) == ("here", parked.based_on)
    assert (seen_again, changed, again, plot.view().parked) == ("here", "", "there", "")


def test_that_the_rules_hold_again_ends_it() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))
    plot.parks("here")
    plot.parks("")

    assert plot.view().parked == ""


def test_nothing_is_decided_by_it() -> None:
    plot = Plot()
    plot.sees(resource(cluster_spec(group("small", 1))))
    before = plot.decides()
    plot.parks("here")
    after = plot.decides()

    assert before is not None
    assert after is not None
    assert after.actions == before.actions
