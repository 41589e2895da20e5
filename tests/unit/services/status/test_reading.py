"""Whose a resource is, and whether it can be read."""

import pytest

from services.status.reading import readable_cluster, somebody_elses
from tests.support.builders import KEY, UID, Raw, cluster_spec, resource
from tests.support.history import History


def history_of(spec: Raw) -> History:
    history = History()
    history.sees(resource(spec))
    return history


@pytest.mark.parametrize(
    ("managed", "foreign"),
    [
        ({}, False),
        ({"managedBy": None}, False),
        ({"managedBy": "ray.io/kuberay-operator"}, False),
        ({"managedBy": "kueue.x-k8s.io/multikueue"}, True),
    ],
)
def test_a_resource_is_ours_unless_it_names_another_operator(managed: Raw, foreign: bool) -> None:
    assert somebody_elses(history_of(cluster_spec(**managed)).view()) == foreign


def test_reads_name_uid_and_spec() -> None:
    cluster = readable_cluster(history_of(cluster_spec(suspend=True)).view())

    assert cluster is not None
    assert (cluster.name, cluster.namespace, cluster.uid) == (KEY.name, KEY.namespace, UID)
    assert cluster.spec.suspend is True


def test_what_has_the_wrong_shape_or_is_not_there_is_not_read() -> None:
    assert readable_cluster(history_of({"headGroupSpec": 7}).view()) is None
    assert readable_cluster(History().view()) is None
