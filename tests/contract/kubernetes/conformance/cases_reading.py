"""Get, list, watch, tables, discovery: what is shown, in which form, and what cannot be read."""

import json
from base64 import urlsafe_b64encode

from tests.contract.kubernetes.conformance.calls import (
    BARE,
    BARE_LIST,
    TABLE,
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    watch,
)
from tests.contract.kubernetes.conformance.definitions import (
    GROUP,
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
OURS = "kind=ours"


def labelled(name: str, **labels: str) -> object:
    return configmap(name, metadata={"labels": {"kind": "ours", **labels}})


THREE = (
    post(MAPS, labelled("a", tier="head")),
    post(MAPS, labelled("b", tier="worker")),
    post(MAPS, labelled("c")),
)
LOOSES = tuple(post(at(LOOSE), loose(name)) for name in ("a", "b", "c"))
NAMES = "items"


def token(revision: int, start: str) -> str:
    """Write a token for the next page; the first revision is forgotten everywhere."""
    place = {"v": "meta.k8s.io/v1", "rv": revision, "start": start}
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


LONG_AGO, NOWHERE = token(1, "a\0"), token(1, "")

READING = cases(
    "get",
    of_nothing_is_not_found=(get(MAP),),
    of_no_custom_object_is_not_found=(get(at(WIDGETS, "absent")),),
    of_a_map=(post(MAPS, configmap(a="1")), get(MAP)),
    of_its_metadata_only=(post(MAPS, configmap(a="1")), get(MAP, accept=BARE)),
    of_a_custom_object_as_metadata=(
        post(at(WIDGETS), widget()),
        get(at(WIDGETS, "w"), accept=BARE),
    ),
    of_a_cluster_wide_kind_in_a_namespace=(get(f"/apis/{GROUP}/v1/namespaces/$ns/places/x"),),
    of_an_unknown_subresource=(post(MAPS, configmap()), get(f"{MAP}/melt")),
    of_an_unknown_subresource_of_a_custom_object=(
        post(at(WIDGETS), widget()),
        get(f"{at(WIDGETS, 'w')}/melt"),
    ),
    of_a_path_that_leads_nowhere=(get("/nowhere"), get("/apis/nowhere"), get("/api/v2")),
)
LISTING = cases(
    "list",
    is_in_the_order_of_names=(*reversed(THREE), get(MAPS, labelSelector=OURS)),
    of_custom_objects=(*LOOSES, get(at(LOOSE))),
    of_nothing_is_empty=(get(at(WIDGETS)), get(at("pods"))),
    by_an_equal_label=(*THREE, get(MAPS, labelSelector="kind=ours,tier=head")),
    by_an_unequal_label=(*THREE, get(MAPS, labelSelector="kind=ours,tier!=head")),
    by_a_set_of_labels=(*THREE, get(MAPS, labelSelector="tier in (head,worker)")),
    by_labels_outside_a_set=(*THREE, get(MAPS, labelSelector="kind=ours,tier notin (head)")),
    by_presence_of_a_label=(*THREE, get(MAPS, labelSelector="tier")),
    by_absence_of_a_label=(*THREE, get(MAPS, labelSelector="kind=ours,!tier")),
    refuses_a_broken_label_selector=(only("code", get(MAPS, labelSelector="a in (")),),
    refuses_a_bad_label_value=(only("code", get(MAPS, labelSelector="a=not good")),),
    by_name=(*THREE, get(MAPS, fieldSelector="metadata.name=b")),
    by_another_name=(*THREE, get(MAPS, labelSelector=OURS, fieldSelector="metadata.name!=b")),
    refuses_an_unknown_field=(get(MAPS, fieldSelector="data.a=1"),),
    refuses_an_unknown_field_of_a_custom_kind=(get(at(WIDGETS), fieldSelector="spec.low=1"),),
    refuses_a_broken_field_selector=(only("code", get(MAPS, fieldSelector="metadata.name")),),
    by_a_selectable_field_of_a_custom_kind=(
        post(at(WIDGETS), widget("a", size="big")),
        post(at(WIDGETS), widget("b")),
        get(at(WIDGETS), fieldSelector="spec.size=big"),
    ),
    of_pods_by_phase=(
        post(at("pods"), pod()),
        get(at("pods"), fieldSelector="status.phase=Pending"),
        get(at("pods"), fieldSelector="status.phase=Running"),
    ),
    of_pods_by_node=(
        post(at("pods"), pod("a", nodeName="n1")),
        post(at("pods"), pod("b")),
        get(at("pods"), fieldSelector="spec.nodeName=n1"),
    ),
    in_pages=(*THREE, get(MAPS, labelSelector=OURS, limit="2")),
    goes_on_where_a_page_ended=(
        *LOOSES,
        get(at(LOOSE), limit="2"),
        get(at(LOOSE), limit="2", continue_="$3.metadata.continue"),
    ),
    counts_what_remains=(*LOOSES, get(at(LOOSE), limit="1")),
    does_not_count_when_it_selects=(
        *LOOSES,
        get(at(LOOSE), limit="1", fieldSelector="metadata.name!=x"),
    ),
    goes_on_from_too_long_ago=(
        *LOOSES,
        get(at(LOOSE), limit="1", continue_=LONG_AGO),
        get(at(LOOSE), continue_="$3.metadata.continue"),
    ),
    of_an_exact_revision_from_too_long_ago=(
        get(at(LOOSE), resourceVersion="1", resourceVersionMatch="Exact"),
    ),
    refuses_a_token_without_a_place=(only("code", get(at(LOOSE), continue_=NOWHERE)),),
    refuses_a_broken_token=(only("code", get(at(LOOSE), limit="1", continue_="melt")),),
    refuses_a_bad_revision=(get(at(LOOSE), resourceVersion="melt"),),
    refuses_a_match_without_a_revision=(get(at(LOOSE), resourceVersionMatch="Exact"),),
    refuses_an_unknown_match=(get(at(LOOSE), resourceVersion="1", resourceVersionMatch="Melt"),),
    of_any_revision=(*LOOSES, get(at(LOOSE), resourceVersion="0")),
    not_older_than_a_revision=(
        *LOOSES,
        get(
            at(LOOSE),
            resourceVersion="$2.metadata.resourceVersion",
            resourceVersionMatch="NotOlderThan",
        ),
    ),
    of_an_exact_revision=(
        *LOOSES,
        get(
            at(LOOSE),
            resourceVersion="$1.metadata.resourceVersion",
            resourceVersionMatch="Exact",
        ),
    ),
    as_metadata=(*LOOSES, get(at(LOOSE), accept=BARE_LIST)),
    of_maps_as_metadata=(*THREE, get(MAPS, labelSelector=OURS, accept=BARE_LIST)),
)
TABLES = cases(
    "table",
    of_a_custom_kind=(post(at(WIDGETS), widget(replicas=2)), get(at(WIDGETS), accept=TABLE)),
    of_one_custom_object=(post(at(WIDGETS), widget()), get(at(WIDGETS, "w"), accept=TABLE)),
    of_a_kind_without_columns=(post(at(LOOSE), loose()), get(at(LOOSE), accept=TABLE)),
    without_objects=(post(at(LOOSE), loose()), get(at(LOOSE), accept=TABLE, includeObject="None")),
    with_whole_objects=(
        post(at(LOOSE), loose(a=1)),
        get(at(LOOSE), accept=TABLE, includeObject="Object"),
    ),
    of_pods=(post(at("pods"), pod()), only("rows", get(at("pods"), accept=TABLE))),
    of_services=(
        post(at("services"), service()),
        post(at("services"), service("headless", clusterIP="None", selector={"a": "b"})),
        only("rows", get(at("services"), accept=TABLE, includeObject="None")),
    ),
    of_maps=(
        *THREE,
        only("rows", get(MAPS, labelSelector=OURS, accept=TABLE, includeObject="None")),
    ),
    of_secrets=(
        post(at("secrets"), of("v1", "Secret", "s", stringData={"a": "b"})),
        only("rows", get(at("secrets", "s"), accept=TABLE, includeObject="None")),
    ),
    of_jobs=(
        post(
            at("jobs.batch/v1"),
            of(
                "batch/v1",
                "Job",
                "j",
                spec={
                    "suspend": True,
                    "template": {
                        "spec": {
                            "restartPolicy": "Never",
                            "containers": [{"name": "a", "image": "i"}],
                        }
                    },
                },
            ),
        ),
        only("columnDefinitions", get(at("jobs.batch/v1", "j"), accept=TABLE)),
    ),
    of_pods_has_columns=(only("columnDefinitions", get(at("pods"), accept=TABLE)),),
    of_services_has_columns=(only("columnDefinitions", get(at("services"), accept=TABLE)),),
)
WATCHING = cases(
    "watch",
    shows_what_is_there=(*LOOSES[:2], watch(at(LOOSE))),
    goes_on_from_a_revision=(
        *LOOSES[:1],
        patch(at(LOOSE, "a"), {"x": 1}),
        delete(at(LOOSE, "a")),
        watch(at(LOOSE), resourceVersion="$0.metadata.resourceVersion"),
    ),
    of_any_revision=(*LOOSES[:1], watch(at(LOOSE), resourceVersion="0")),
    tells_the_initial_end=(
        *LOOSES[:2],
        watch(
            at(LOOSE),
            sendInitialEvents="true",
            resourceVersionMatch="NotOlderThan",
            allowWatchBookmarks="true",
        ),
    ),
    refuses_initial_events_without_a_match=(watch(at(LOOSE), sendInitialEvents="true"),),
    refuses_a_bad_revision=(only("code", watch(at(LOOSE), resourceVersion="melt")),),
    by_label=(
        post(MAPS, labelled("a")),
        watch(MAPS, labelSelector=OURS),
    ),
    tells_of_one_that_leaves_the_selection=(
        post(MAPS, labelled("a")),
        patch(at("configmaps", "a"), {"metadata": {"labels": None}}),
        watch(MAPS, labelSelector=OURS, resourceVersion="$0.metadata.resourceVersion"),
    ),
    tells_of_one_that_enters_the_selection=(
        post(MAPS, configmap("a")),
        patch(at("configmaps", "a"), {"metadata": {"labels": {"kind": "ours"}}}),
        watch(MAPS, labelSelector=OURS, resourceVersion="$0.metadata.resourceVersion"),
    ),
    of_one_object=(*LOOSES[:2], watch(at(LOOSE), fieldSelector="metadata.name=b")),
    as_metadata=(*LOOSES[:1], watch(at(LOOSE), accept=BARE)),
    as_a_table=(post(at(WIDGETS), widget()), watch(at(WIDGETS), accept=TABLE)),
    of_maps_shows_their_kind=(post(MAPS, labelled("a")), watch(MAPS, labelSelector=OURS)),
)
DISCOVERING = cases(
    "discovery",
    of_a_custom_group=(get(f"/apis/{GROUP}"),),
    of_the_kinds_of_a_custom_group=(get(f"/apis/{GROUP}/v1"),),
    of_another_version=(get(f"/apis/{GROUP}/v1beta1"),),
    of_the_core=(only("versions", get("/api")),),
    of_an_unknown_version=(get(f"/apis/{GROUP}/v1alpha1"),),
    of_health=(get("/healthz"), get("/readyz"), get("/livez")),
    of_a_built_in_group=(get("/apis/coordination.k8s.io"), get("/apis/events.k8s.io")),
)

ALL = (*READING, *LISTING, *TABLES, *WATCHING, *DISCOVERING)
