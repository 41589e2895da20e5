"""Steps: what was new for each decision, what was decided, and whether it still would be."""

from heliograph.views.deciding import deciding
from heliograph.views.replay import Replayer, settings_in
from heliograph.views.steps import Step, Stepping
from tests.contract.test_histories import records_of


def steps_of(name: str) -> list[Step]:
    records = records_of(name)
    replayer = Replayer(deciding(records), settings_in(records))
    stepping = Stepping()
    found: list[Step] = []
    for record in records:
        stepping.hear(record)
        verdict = replayer.take(record)
        if verdict is not None:
            found.extend(stepping.step(verdict))
    return found


def test_each_step_has_what_the_one_before_had_not() -> None:
    first, second = steps_of("worker-failed")

    assert [moment.text for moment in first.news] == ["first appeared"]
    assert first.because[0] == "the cluster has no head service"
    assert second.news[0].sequence > first.based_on
    assert all(moment.sequence <= second.based_on for moment in second.news)
    assert any("is Failed (Evicted)" in moment.text for moment in second.news)
    assert {first.verdict, second.verdict} == {"identical"}


def test_every_decision_is_a_step() -> None:
    assert len(steps_of("suspended-and-resumed")) == 11
