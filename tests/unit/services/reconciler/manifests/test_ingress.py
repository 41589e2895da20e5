"""The way to the dashboard: its defaults, and what the user may say instead."""

from services.reconciler.manifests.ingress import ingress, ingress_name, ingress_spec
from services.reconciler.manifests.owners import owner_reference
from shared.kernel.manifests import value_at
from tests.support.rayclusters import cluster, container, head, template

CLASS = "kubernetes.io/ingress.class"
DASHBOARD = {
    "path": "/",
    "pathType": "Prefix",
    "backend": {"service": {"name": "demo-head-svc", "port": {"number": 8265}}},
}


def test_leads_from_anywhere_to_the_dashboard() -> None:
    wanted = cluster(annotations={CLASS: "nginx", "team": "ml"})

    assert ingress(wanted) == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "name": "demo-head-ingress",
            "namespace": "lab",
            "labels": {
                "app.kubernetes.io/created-by": "kuberay-operator",
                "app.kubernetes.io/name": "kuberay",
                "ray.io/cluster": "demo",
                "ray.io/identifier": "demo-head",
            },
            "annotations": {"team": "ml"},
            "ownerReferences": [owner_reference(wanted)],
        },
        "spec": {"ingressClassName": "nginx", "rules": [{"http": {"paths": [DASHBOARD]}}]},
    }


def test_the_users_options_and_dashboard_port_are_followed() -> None:
    options = {
        "host": "ray.example.org",
        "path": "/lab",
        "pathType": "Exact",
        "tls": [{"hosts": ["ray.example.org"], "secretName": "cert"}],
    }
    ray = container(ports=[{"name": "dashboard", "containerPort": 9000}])
    wanted = cluster(headGroupSpec=head(template=template(ray), ingressOptions=options))

    spec = ingress_spec(wanted)

    path = value_at(spec, "rules", 0, "http", "paths", 0)
    assert (value_at(spec, "rules", 0, "host"), spec["tls"]) == (options["host"], options["tls"])
    assert path == {
        "path": "/lab",
        "pathType": "Exact",
        "backend": {"service": {"name": "demo-head-svc", "port": {"number": 9000}}},
    }
    assert "ingressClassName" not in spec


def test_a_long_name_is_cut_at_its_start() -> None:
    """Checklist 81: the shortened name is the only one by which the ingress goes."""
    assert ingress_name(cluster(name="c" * 53)) == "c" * 37 + "-head-ingress"
