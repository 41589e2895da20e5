"""Deletion: conditions, finalizers, grace, dependents, whole collections."""

from tests.contract.kubernetes.conformance.calls import (
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import (
    LOOSE,
    WIDGETS,
    configmap,
    loose,
    of,
    pod,
    service,
    widget,
)

MAPS, MAP = at("configmaps"), at("configmaps", "c")
BORN = post(MAPS, configmap(a="1"))
HELD = post(MAPS, configmap(metadata={"finalizers": ["x.io/held"]}))
RUNNING = pod(nodeName="somewhere")
CHILD = configmap(
    "child",
    metadata={
        "ownerReferences": [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "$0.metadata.uid"}
        ]
    },
)
BLOCKING = configmap(
    "child",
    metadata={
        "ownerReferences": [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": "c",
                "uid": "$0.metadata.uid",
                "blockOwnerDeletion": True,
            }
        ],
        "finalizers": ["x.io/held"],
    },
)
SOME = (
    post(MAPS, configmap("a", metadata={"labels": {"x": "1"}})),
    post(MAPS, configmap("b", metadata={"labels": {"x": "2"}})),
)

DELETING = cases(
    "delete",
    removes_at_once=(BORN, delete(MAP), get(MAP)),
    of_nothing_is_refused=(delete(MAP),),
    of_a_custom_object_answers_with_a_status=(
        post(at(WIDGETS), widget()),
        delete(at(WIDGETS, "w")),
    ),
    of_a_service_answers_with_it=(post(at("services"), service()), delete(at("services", "s"))),
    of_a_secret_answers_with_a_status=(
        post(at("secrets"), of("v1", "Secret", "x")),
        delete(at("secrets", "x")),
    ),
    of_an_account_answers_with_it=(
        post(at("serviceaccounts"), of("v1", "ServiceAccount", "x")),
        delete(at("serviceaccounts", "x")),
    ),
    waits_for_finalizers=(HELD, delete(MAP), delete(MAP), get(MAP)),
    ends_when_the_last_finalizer_goes=(
        HELD,
        delete(MAP),
        patch(MAP, {"metadata": {"finalizers": None}}),
        get(MAP),
    ),
    lets_no_finalizer_in_afterwards=(
        HELD,
        delete(MAP),
        patch(MAP, {"metadata": {"finalizers": ["x.io/held", "x.io/late"]}}),
    ),
    lets_labels_change_while_it_waits=(
        HELD,
        delete(MAP),
        patch(MAP, {"metadata": {"labels": {"a": "b"}}}),
    ),
    counts_a_generation_of_a_custom_object=(
        post(at(WIDGETS), widget(metadata={"finalizers": ["x.io/held"]})),
        delete(at(WIDGETS, "w")),
        get(at(WIDGETS, "w")),
    ),
    with_the_right_uid=(BORN, delete(MAP, {"preconditions": {"uid": "$0.metadata.uid"}})),
    with_another_uid=(BORN, delete(MAP, {"preconditions": {"uid": "other"}})),
    with_the_right_revision=(
        BORN,
        delete(MAP, {"preconditions": {"resourceVersion": "$0.metadata.resourceVersion"}}),
    ),
    with_another_revision=(BORN, delete(MAP, {"preconditions": {"resourceVersion": "1"}})),
    with_options_that_say_their_kind=(
        BORN,
        delete(MAP, {"kind": "DeleteOptions", "apiVersion": "v1"}),
    ),
    with_an_unknown_policy=(BORN, delete(MAP, propagationPolicy="Sideways")),
    with_two_policies=(
        BORN,
        delete(MAP, {"propagationPolicy": "Background", "orphanDependents": True}),
    ),
    of_a_pod_that_never_started_is_at_once=(
        post(at("pods"), pod()),
        delete(at("pods", "p")),
        get(at("pods", "p")),
    ),
    of_a_running_pod_is_graceful=(
        post(at("pods"), RUNNING),
        delete(at("pods", "p")),
        get(at("pods", "p")),
    ),
    of_a_running_pod_with_its_own_grace=(
        post(
            at("pods"), {**RUNNING, "spec": {**RUNNING["spec"], "terminationGracePeriodSeconds": 7}}
        ),
        delete(at("pods", "p")),
    ),
    shortens_the_grace_of_a_pod=(
        post(at("pods"), RUNNING),
        delete(at("pods", "p")),
        delete(at("pods", "p"), gracePeriodSeconds="5"),
    ),
    does_not_lengthen_the_grace_of_a_pod=(
        post(at("pods"), RUNNING),
        delete(at("pods", "p"), gracePeriodSeconds="5"),
        delete(at("pods", "p"), gracePeriodSeconds="50"),
    ),
    without_grace_is_at_once=(
        post(at("pods"), RUNNING),
        delete(at("pods", "p"), gracePeriodSeconds="0"),
        get(at("pods", "p")),
    ),
    with_grace_means_nothing_to_a_map=(BORN, delete(MAP, gracePeriodSeconds="30"), get(MAP)),
    as_a_dry_run_leaves_it=(BORN, delete(MAP, dryRun="All"), get(MAP)),
    of_the_default_namespace_is_refused=(delete("/api/v1/namespaces/default"),),
    refuses_a_subresource=(post(at(WIDGETS), widget()), delete(f"{at(WIDGETS, 'w')}/status")),
)
DEPENDENTS = cases(
    "dependents",
    go_after_their_owner_in_the_background=(
        BORN,
        post(MAPS, CHILD),
        delete(MAP, propagationPolicy="Background"),
        get(at("configmaps", "child"), until=404),
    ),
    go_before_their_owner_in_the_foreground=(
        BORN,
        post(MAPS, BLOCKING),
        delete(MAP, propagationPolicy="Foreground"),
        get(MAP),
        only("kind", patch(at("configmaps", "child"), {"metadata": {"finalizers": None}})),
        get(MAP, until=404),
    ),
    are_orphaned_when_asked=(
        BORN,
        post(MAPS, CHILD),
        delete(MAP, propagationPolicy="Orphan"),
        get(MAP, until=404),
        get(at("configmaps", "child")),
    ),
    of_a_custom_owner_go_too=(
        post(at(WIDGETS), widget()),
        post(
            MAPS,
            configmap(
                "child",
                metadata={
                    "ownerReferences": [
                        {
                            "apiVersion": "conformance.example.com/v1",
                            "kind": "Widget",
                            "name": "w",
                            "uid": "$0.metadata.uid",
                        }
                    ]
                },
            ),
        ),
        delete(at(WIDGETS, "w")),
        get(at("configmaps", "child"), until=404),
    ),
)
COLLECTIONS = cases(
    "delete collection",
    by_label=(*SOME, delete(MAPS, labelSelector="x=1"), get(MAPS, labelSelector="x")),
    by_field=(*SOME, delete(MAPS, fieldSelector="metadata.name=b"), get(MAPS, labelSelector="x")),
    of_custom_objects=(
        post(at(LOOSE), loose("a")),
        post(at(LOOSE), loose("b")),
        delete(at(LOOSE)),
        get(at(LOOSE)),
    ),
    as_a_dry_run=(
        *SOME,
        delete(MAPS, labelSelector="x=1", dryRun="All"),
        get(MAPS, labelSelector="x"),
    ),
    of_everywhere_is_refused=(delete(at("configmaps", everywhere=True)),),
    of_services_is_there_too=(
        post(at("services"), service()),
        delete(at("services"), labelSelector="none=here"),
    ),
)
REVIVING = cases(
    "recreation",
    gets_another_uid=(BORN, delete(MAP), BORN),
    makes_old_uids_a_conflict=(
        BORN,
        delete(MAP),
        BORN,
        put(MAP, configmap(metadata={"uid": "$0.metadata.uid"}, a="2")),
    ),
)

ALL = (*DELETING, *DEPENDENTS, *COLLECTIONS, *REVIVING)
