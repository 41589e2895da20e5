"""Rules about token authentication: which Ray can do it, and which options go together."""

from shared.resources.predicates import kubernetes_token_auth, token_auth
from shared.resources.raycluster import RayCluster
from shared.resources.versions import KUBERNETES_TOKEN_AUTH, TOKEN_AUTH, parse_ray_version
from shared.validation.findings import Problems
from shared.validation.rule import Rule

_MODE = "spec.authOptions.mode"
_KUBERNETES = "spec.authOptions.enableK8sTokenAuth"
_VERSION = f"set rayVersion to the version of Ray in the images, {TOKEN_AUTH} or later"

VERSION_MISSING = Rule(
    id="RayCluster.auth-version",
    path=_MODE,
    text=(
        "authOptions.mode is 'token' but RayVersion was not specified. "
        f"Ray version {TOKEN_AUTH} or later is required"
    ),
    hint=_VERSION,
)
VERSION_ODD = Rule(
    id="RayCluster.auth-version-form",
    path=_MODE,
    text=(
        "authOptions.mode is 'token' but RayVersion format is invalid: {version}, not a version "
        f"such as {TOKEN_AUTH}"
    ),
    hint=_VERSION,
)
VERSION_OLD = Rule(
    id="RayCluster.auth-version-old",
    path=_MODE,
    text=(f"authOptions.mode is 'token' but minimum Ray version is {TOKEN_AUTH}, got {{version}}"),
    hint=_VERSION,
)
KUBERNETES_VERSION_OLD = Rule(
    id="RayCluster.k8s-auth-version",
    path=_KUBERNETES,
    text=(
        "authOptions.enableK8sTokenAuth is enabled but minimum Ray version is "
        f"{KUBERNETES_TOKEN_AUTH}, got {{version}}"
    ),
    hint=f"use Ray {KUBERNETES_TOKEN_AUTH} or later, or leave enableK8sTokenAuth out",
)
SECRET_UNUSED = Rule(
    id="RayCluster.k8s-auth-secret",
    path="spec.authOptions.secretName",
    text="authOptions.enableK8sTokenAuth is enabled and authOptions.secretName is also set",
    hint="tokens come from Kubernetes: remove secretName",
)
MODE_MISSING = Rule(
    id="RayCluster.k8s-auth-mode",
    path=_KUBERNETES,
    text="authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'",
    hint="set authOptions.mode: token",
)


def auth_problems(cluster: RayCluster) -> Problems:
    """Check the authentication options."""
    if token_auth(cluster):
        yield from _version_rules(cluster)
        options = cluster.spec.auth_options
        if options is not None and options.secret_name and kubernetes_token_auth(cluster):
            yield SECRET_UNUSED.found()
    elif kubernetes_token_auth(cluster):
        yield MODE_MISSING.found()


def _version_rules(cluster: RayCluster) -> Problems:
    written = cluster.spec.ray_version or ""
    version = parse_ray_version(written)
    if not written:
        yield VERSION_MISSING.found()
    elif version is None:
        yield VERSION_ODD.found(version=written)
    elif version < TOKEN_AUTH:
        yield VERSION_OLD.found(version=written)
    if kubernetes_token_auth(cluster) and version and version < KUBERNETES_TOKEN_AUTH:
        yield KUBERNETES_VERSION_OLD.found(version=written)
