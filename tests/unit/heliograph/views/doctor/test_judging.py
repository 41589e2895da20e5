"""Everything together: order, what follows from what, and what was not looked at."""

from msgspec.structs import replace

from heliograph.views.doctor.checks import Mark, Verdict
from heliograph.views.doctor.facts import Cluster, Unknown
from heliograph.views.doctor.judging import judged
from tests.support.examinations import HEALTHY, bus_with

NOT_ASKED = "not looked at"


def test_a_healthy_installation_is_well_in_every_area() -> None:
    found = judged(HEALTHY)

    assert found.verdict is Verdict.WELL
    assert list(dict.fromkeys(one.area for one in found.checks)) == [
        "NATS",
        "streams",
        "services",
        "sessions",
        "resources",
        "versions",
        "Kubernetes",
        "definitions",
        "permissions",
        "neighbours",
    ]


def test_whatever_is_wrong_says_why_it_matters_and_what_to_do() -> None:
    gone = judged(bus_with(server=Unknown("away"), streams={}))

    (wrong,) = [one for one in gone.checks if one.mark is Mark.WRONG]

    assert wrong.matters
    assert wrong.todo


def test_one_half_is_enough_to_look_at() -> None:
    bus, cluster = replace(HEALTHY, cluster=NOT_ASKED), replace(HEALTHY, bus=NOT_ASKED)

    assert judged(bus).verdict is judged(cluster).verdict is Verdict.WELL
    assert judged(bus).counts["skipped"] == judged(cluster).counts["skipped"] == 1


def test_with_nats_away_kubernetes_still_counts() -> None:
    assert judged(bus_with(server=Unknown("away"), streams={})).verdict is Verdict.WRONG


def test_with_both_away_nothing_was_looked_at() -> None:
    nowhere = Cluster(where="", version=Unknown("away"))
    facts = replace(bus_with(server=Unknown("away"), streams={}), cluster=nowhere)

    assert judged(facts).verdict is Verdict.BLIND
