"""Everything a cluster may have beside its pods and head service, by its name within an act."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.reconciler.manifests.certificates import (
    ca_certificate,
    ca_issuer,
    selfsigned_issuer,
)
from services.reconciler.manifests.ingress import ingress
from services.reconciler.manifests.rbac import role, role_binding, service_account
from services.reconciler.manifests.route import route
from services.reconciler.manifests.secrets import auth_secret
from services.reconciler.manifests.services import headless_service, serve_service
from services.reconciler.manifests.volumes import storage_claim
from shared.resources.raycluster import RayCluster

SERVICE_ACCOUNT = "service-account"
ROLE = "role"
ROLE_BINDING = "role-binding"
INGRESS = "ingress"
ROUTE = "route"
SELFSIGNED_ISSUER = "selfsigned-issuer"
CA_CERTIFICATE = "ca-certificate"
CA_ISSUER = "ca-issuer"
AUTH_SECRET = "auth-secret"  # noqa: S105 - the name of a manifest
STORAGE_CLAIM = "storage-claim"
HEADLESS_SERVICE = "headless-service"
SERVE_SERVICE = "serve-service"

COMPANIONS: Mapping[str, Callable[[RayCluster], dict[str, object]]] = MappingProxyType(
    {
        SERVICE_ACCOUNT: service_account,
        ROLE: role,
        ROLE_BINDING: role_binding,
        INGRESS: ingress,
        ROUTE: route,
        SELFSIGNED_ISSUER: selfsigned_issuer,
        CA_CERTIFICATE: ca_certificate,
        CA_ISSUER: ca_issuer,
        AUTH_SECRET: auth_secret,
        STORAGE_CLAIM: storage_claim,
        HEADLESS_SERVICE: headless_service,
        SERVE_SERVICE: serve_service,
    }
)
