"""Every rule about a RayCluster can be broken, and says exactly this."""

import pytest

from shared.kernel.features import GATES, Features
from shared.validation.raycluster import validate
from shared.validation.rules import rules_of
from tests.support.rayclusters import cluster
from tests.unit.shared.validation import raycluster_cases, raycluster_option_cases
from tests.unit.shared.validation.raycluster_cases import Fields

OPEN = Features(enabled=frozenset(GATES))
SHUT = Features(enabled=frozenset())
CASES = {**raycluster_cases.CASES, **raycluster_option_cases.CASES}
GATED = raycluster_option_cases.GATED


@pytest.mark.parametrize(
    ("rule", "fields", "text", "features"),
    [(rule, *case, OPEN) for rule, case in CASES.items()]
    + [(rule, *case, SHUT) for rule, case in GATED.items()],
)
def test_a_rule_says_exactly_this(rule: str, fields: Fields, text: str, features: Features) -> None:
    found = {each.rule: each for each in validate(cluster(**fields), features)}

    problem = found[f"RayCluster.{rule}"]
    assert problem.message == text
    assert problem.hint
    assert "{" not in problem.path


def test_every_rule_has_a_case() -> None:
    of_status = {rule.id for rule in rules_of("RayCluster") if rule.layer == "status"}
    shown = {f"RayCluster.{rule}" for rule in (*CASES, *GATED)}

    assert {rule.id for rule in rules_of("RayCluster")} == shown | of_status
    assert of_status == {"RayCluster.suspend-conditions"}
