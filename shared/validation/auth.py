"""Rules about token authentication: which Ray can do it, and which options go together."""

from shared.resources.predicates import kubernetes_token_auth, token_auth
from shared.resources.raycluster import RayCluster
from shared.resources.versions import KUBERNETES_TOKEN_AUTH, TOKEN_AUTH, parse_ray_version
from shared.validation.findings import Problems, refused

_MODE = "spec.authOptions.mode"
_KUBERNETES = "spec.authOptions.enableK8sTokenAuth"


def auth_problems(cluster: RayCluster) -> Problems:
    """Check the authentication options."""
    if token_auth(cluster):
        yield from _version_rules(cluster)
        yield from _secret_rule(cluster)
    elif kubernetes_token_auth(cluster):
        yield refused(
            _KUBERNETES,
            "authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'",
        )


def _version_rules(cluster: RayCluster) -> Problems:
    written = cluster.spec.ray_version or ""
    version = parse_ray_version(written)
    start = "authOptions.mode is 'token' but"
    if not written:
        message = "RayVersion was not specified. "
        required = f"Ray version {TOKEN_AUTH} or later is required"
        yield refused(_MODE, f"{start} {message}{required}")
    elif version is None:
        told = f"{written}, not a version such as {TOKEN_AUTH}"
        yield refused(_MODE, f"{start} RayVersion format is invalid: {told}")
    elif version < TOKEN_AUTH:
        yield refused(_MODE, f"{start} minimum Ray version is {TOKEN_AUTH}, got {written}")
    if kubernetes_token_auth(cluster) and version and version < KUBERNETES_TOKEN_AUTH:
        yield refused(
            _KUBERNETES,
            "authOptions.enableK8sTokenAuth is enabled but minimum Ray version is "
            f"{KUBERNETES_TOKEN_AUTH}, got {written}",
        )


def _secret_rule(cluster: RayCluster) -> Problems:
    options = cluster.spec.auth_options
    if options is not None and options.secret_name and kubernetes_token_auth(cluster):
        yield refused(
            "spec.authOptions.secretName",
            "authOptions.enableK8sTokenAuth is enabled and authOptions.secretName is also set",
        )
