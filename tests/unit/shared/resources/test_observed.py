"""Which kinds must be listed, given what an installation works with."""

import pytest

from shared.kernel.schedulers import KAI, KUBERNETES_WAS, SCHEDULER_PLUGINS, VOLCANO, YUNIKORN
from shared.resources.observed import OBSERVED, Surroundings, observed


def test_a_plain_installation_looks_at_what_every_cluster_serves() -> None:
    assert observed() == OBSERVED


@pytest.mark.parametrize(
    ("scheduler", "kinds"),
    [
        (VOLCANO, ("volcanopodgroup",)),
        (SCHEDULER_PLUGINS, ("pluginpodgroup",)),
        (KUBERNETES_WAS, ("workload", "podgroup")),
        (YUNIKORN, ()),
        (KAI, ()),
    ],
)
def test_a_scheduler_adds_what_it_keeps(scheduler: str, kinds: tuple[str, ...]) -> None:
    assert observed(Surroundings(batch_scheduler=scheduler)) == (*OBSERVED, *kinds)


def test_everything_at_once_is_every_optional_kind_but_other_schedulers() -> None:
    everything = Surroundings(batch_scheduler=VOLCANO, openshift_routes=True, mtls=True)
    assert observed(everything) == (
        *OBSERVED,
        "volcanopodgroup",
        "route",
        "issuer",
        "certificate",
    )
