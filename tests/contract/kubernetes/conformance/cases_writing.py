"""Create and update: what is stored, what is refused, what counts a generation."""

from tests.contract.kubernetes.conformance.calls import at, cases, get, only, post, put, raw
from tests.contract.kubernetes.conformance.definitions import (
    GROUP,
    LOOSE,
    PLACES,
    WIDGETS,
    configmap,
    loose,
    of,
    pod,
    widget,
)

MAPS = at("configmaps")
LEASES = at("leases.coordination.k8s.io/v1")
OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "1234"}

CREATING = cases(
    "create",
    stores_and_returns_the_object=(post(MAPS, configmap(a="1")), get(at("configmaps", "c"))),
    refuses_a_name_that_is_taken=(post(MAPS, configmap()), post(MAPS, configmap())),
    makes_a_name_from_a_prefix=(post(MAPS, {"metadata": {"generateName": "gen-"}}),),
    prefers_the_name_to_the_prefix=(post(MAPS, configmap(metadata={"generateName": "gen-"})),),
    needs_a_name=(post(MAPS, {"metadata": {}}),),
    needs_a_name_for_a_custom_object_too=(
        post(at(WIDGETS), {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "spec": {}}),
    ),
    refuses_a_bad_name=(post(MAPS, configmap("Not_Good")),),
    takes_a_service_whose_name_begins_with_a_digit=(
        post(at("services"), of("v1", "Service", "1a", spec={"ports": [{"port": 80}]})),
    ),
    refuses_a_bad_name_of_a_custom_object=(post(at(WIDGETS), widget("Not_Good")),),
    refuses_a_name_that_is_too_long=(post(MAPS, configmap("a" * 254)),),
    refuses_a_bad_prefix=(only("reason", post(MAPS, {"metadata": {"generateName": "Bad_"}})),),
    refuses_a_revision=(post(MAPS, configmap(metadata={"resourceVersion": "5"})),),
    refuses_another_namespace=(post(MAPS, configmap(metadata={"namespace": "other"})),),
    takes_the_namespace_of_the_path=(post(MAPS, configmap(metadata={"namespace": "$ns"})),),
    refuses_a_namespace_that_is_not_there=(
        post("/api/v1/namespaces/$ns-absent/configmaps", configmap()),
    ),
    refuses_a_custom_object_in_a_namespace_that_is_not_there=(
        post(f"/apis/{GROUP}/v1/namespaces/$ns-absent/widgets", widget()),
    ),
    refuses_another_kind=(post(MAPS, of("v1", "Secret", "c")),),
    refuses_another_kind_for_a_custom_path=(post(at(WIDGETS), of(f"{GROUP}/v1", "Gadget", "w")),),
    refuses_another_version=(post(MAPS, of("v2", "ConfigMap", "c")),),
    refuses_another_version_of_a_custom_kind=(
        only("message", post(at(WIDGETS), {**widget(), "apiVersion": f"{GROUP}/v9"})),
    ),
    refuses_another_version_of_a_custom_kind_strictly=(
        post(
            at(WIDGETS), {**widget(), "apiVersion": f"{GROUP}/v9", "x": 1}, fieldValidation="Strict"
        ),
    ),
    takes_an_object_without_type=(post(MAPS, {"metadata": {"name": "c"}}),),
    refuses_a_custom_object_without_type=(
        post(at(WIDGETS), {"metadata": {"name": "w"}, "spec": {}}),
    ),
    ignores_what_belongs_to_the_server=(
        post(
            MAPS,
            configmap(
                metadata={
                    "uid": "mine",
                    "generation": 7,
                    "creationTimestamp": "2030-01-01T00:00:00Z",
                    "deletionTimestamp": "2030-01-01T00:00:00Z",
                    "selfLink": "/here",
                }
            ),
        ),
    ),
    ignores_the_status_of_a_custom_object=(
        post(at(WIDGETS), {**widget(), "status": {"replicas": 4}}),
    ),
    counts_the_first_generation=(post(at(WIDGETS), widget(replicas=3)),),
    keeps_labels_and_annotations=(
        post(MAPS, configmap(metadata={"labels": {"a": "b"}, "annotations": {"c": "d"}})),
    ),
    refuses_a_bad_label_value=(post(MAPS, configmap(metadata={"labels": {"a": "not good"}})),),
    refuses_a_bad_label_key=(post(MAPS, configmap(metadata={"labels": {"not good": "a"}})),),
    refuses_a_label_value_that_is_too_long=(
        post(MAPS, configmap(metadata={"labels": {"a": "b" * 64}})),
    ),
    refuses_a_bad_annotation_key=(
        post(MAPS, configmap(metadata={"annotations": {"not good": "a"}})),
    ),
    refuses_a_bad_finalizer=(post(MAPS, configmap(metadata={"finalizers": ["not good/x"]})),),
    refuses_an_owner_without_a_uid=(
        post(MAPS, configmap(metadata={"ownerReferences": [{**OWNER, "uid": ""}]})),
    ),
    refuses_an_owner_without_a_kind=(
        post(MAPS, configmap(metadata={"ownerReferences": [{**OWNER, "kind": ""}]})),
    ),
    refuses_two_controllers=(
        post(
            MAPS,
            configmap(
                metadata={
                    "ownerReferences": [
                        {**OWNER, "controller": True},
                        {**OWNER, "uid": "5678", "controller": True},
                    ]
                }
            ),
        ),
    ),
    refuses_a_bad_key_of_a_map=(post(MAPS, {**configmap(), "data": {"not good": "x"}}),),
    refuses_a_body_that_is_no_object=(post(MAPS, [1, 2]),),
    refuses_a_body_that_is_empty=(raw("POST", MAPS, ""),),
    reads_yaml=(raw("POST", MAPS, "metadata: {name: c}\ndata: {a: '1'}\n", "application/yaml"),),
    refuses_a_strange_media_type=(raw("POST", MAPS, "x", "text/csv"),),
    refuses_to_create_under_a_name=(post(at("configmaps", "c"), configmap()),),
    takes_a_cluster_wide_object=(
        post(at(PLACES, everywhere=True), of(f"{GROUP}/v1", "Place", "$ns", spec={"room": "a"})),
        get(at(PLACES, "$ns", everywhere=True)),
    ),
    shows_an_object_in_another_version=(
        post(at(LOOSE), loose(a=1)),
        get(at(f"looses.{GROUP}/v1beta1", "l")),
    ),
    warns_of_a_version_that_is_deprecated=(
        post(at(f"looses.{GROUP}/v1beta1"), loose(version="v1beta1", a=1)),
    ),
    does_not_know_a_version_that_is_not_served=(
        post(at(f"looses.{GROUP}/v1alpha1"), loose(version="v1alpha1")),
    ),
    does_not_know_a_kind_that_is_not_defined=(
        post(at(f"gadgets.{GROUP}/v1"), of(f"{GROUP}/v1", "Gadget", "g")),
        get(at("gadgets", "g")),
        get(at("gadgets.nowhere.example.com/v1", "g")),
    ),
)

UPDATING = cases(
    "update",
    replaces_the_whole=(
        post(MAPS, configmap(a="1", b="2")),
        put(at("configmaps", "c"), configmap(a="3")),
    ),
    that_changes_nothing_costs_no_revision=(
        post(MAPS, configmap(a="1")),
        put(at("configmaps", "c"), configmap(a="1")),
    ),
    of_an_old_revision_is_a_conflict=(
        post(MAPS, configmap(a="1")),
        put(at("configmaps", "c"), configmap(a="2")),
        put(
            at("configmaps", "c"),
            configmap(metadata={"resourceVersion": "$0.metadata.resourceVersion"}, a="3"),
        ),
    ),
    of_the_current_revision_is_taken=(
        post(MAPS, configmap(a="1")),
        put(
            at("configmaps", "c"),
            configmap(metadata={"resourceVersion": "$0.metadata.resourceVersion"}, a="3"),
        ),
    ),
    of_another_uid_is_a_conflict=(
        post(MAPS, configmap(a="1")),
        put(at("configmaps", "c"), configmap(metadata={"uid": "other"}, a="2")),
    ),
    of_another_name_is_refused=(
        post(MAPS, configmap()),
        put(at("configmaps", "c"), configmap("d")),
    ),
    of_nothing_is_refused=(put(at("configmaps", "absent"), configmap("absent")),),
    of_no_custom_object_is_refused=(put(at(WIDGETS, "absent"), widget("absent")),),
    of_a_custom_object_needs_a_revision=(
        post(at(WIDGETS), widget()),
        put(at(WIDGETS, "w"), widget(replicas=2)),
    ),
    of_a_lease_needs_a_revision=(
        post(LEASES, of("coordination.k8s.io/v1", "Lease", "l", spec={})),
        put(f"{LEASES}/l", of("coordination.k8s.io/v1", "Lease", "l", spec={})),
    ),
    of_the_meaning_counts_a_generation=(
        post(at(WIDGETS), widget()),
        put(
            at(WIDGETS, "w"),
            widget(metadata={"resourceVersion": "$0.metadata.resourceVersion"}, replicas=2),
        ),
    ),
    of_labels_counts_no_generation=(
        post(at(WIDGETS), widget()),
        put(
            at(WIDGETS, "w"),
            widget(
                metadata={
                    "resourceVersion": "$0.metadata.resourceVersion",
                    "labels": {"a": "b"},
                }
            ),
        ),
    ),
    keeps_what_belongs_to_the_server=(
        post(MAPS, configmap(metadata={"generateName": "x-"})),
        put(
            at("configmaps", "c"),
            configmap(metadata={"creationTimestamp": "2030-01-01T00:00:00Z"}, a="1"),
        ),
    ),
    through_the_main_path_ignores_the_status=(
        post(at(WIDGETS), widget()),
        put(
            at(WIDGETS, "w"),
            {
                **widget(metadata={"resourceVersion": "$0.metadata.resourceVersion"}),
                "status": {"replicas": 2},
            },
        ),
    ),
    of_an_immutable_map_is_refused=(
        post(MAPS, {**configmap(a="1"), "immutable": True}),
        put(at("configmaps", "c"), {**configmap(a="2"), "immutable": True}),
    ),
    of_the_image_of_a_pod_is_taken=(
        post(at("pods"), pod()),
        put(
            at("pods", "p"),
            pod(containers=[{"name": "main", "image": "ray:3"}]),
        ),
    ),
    of_an_unfit_body_is_refused=(post(MAPS, configmap()), put(at("configmaps", "c"), "text")),
)

ALL = (*CREATING, *UPDATING)
