"""Which batch scheduler an installation uses, and what is told of choices that clash."""

import pytest

from shared.kernel.features import WORKLOAD_AWARE_SCHEDULING, Features
from shared.kernel.schedulers import KUBERNETES_WAS, NAMED, VOLCANO, choose_scheduler

PLAIN = Features()
WAS = Features(enabled=frozenset({WORKLOAD_AWARE_SCHEDULING}))


@pytest.mark.parametrize("name", NAMED)
def test_a_scheduler_is_chosen_by_name(name: str) -> None:
    assert choose_scheduler(name, enabled=False, features=PLAIN) == name


def test_none_is_chosen_without_a_word() -> None:
    assert not choose_scheduler("", enabled=False, features=PLAIN)


def test_the_older_switch_means_volcano() -> None:
    assert choose_scheduler("", enabled=True, features=PLAIN) == VOLCANO


def test_the_gate_chooses_kubernetes_itself() -> None:
    assert choose_scheduler("", enabled=False, features=WAS) == KUBERNETES_WAS


@pytest.mark.parametrize("name", ["default", KUBERNETES_WAS, "Volcano", "slurm"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=f"scheduler is not supported, name={name}: there are vol"):
        choose_scheduler(name, enabled=False, features=PLAIN)


@pytest.mark.parametrize(("name", "enabled"), [("volcano", False), ("", True), ("slurm", True)])
def test_the_gate_excludes_every_other_choice(name: str, *, enabled: bool) -> None:
    told = (
        "the KubernetesWAS feature gate cannot be combined with --batch-scheduler or "
        "--enable-batch-scheduler"
    )
    with pytest.raises(ValueError, match=told):
        choose_scheduler(name, enabled=enabled, features=WAS)


def test_the_older_switch_and_a_name_exclude_each_other() -> None:
    told = (
        r"both feature flags enable-batch-scheduler \(deprecated\) and batch-scheduler are set\. "
        "Please use batch-scheduler only"
    )
    with pytest.raises(ValueError, match=told):
        choose_scheduler("volcano", enabled=True, features=PLAIN)
