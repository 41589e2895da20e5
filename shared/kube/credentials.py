"""As whom we speak to the API server: what the `kubernetes` package makes of its configuration.

It alone reads kubeconfigs, mounted tokens, certificates and credential plugins; it is imported when
a connection is made and not before, because the import is slow. A plugin that fails is an error
here: the package only logs it and would go on without credentials.
"""

import asyncio
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from shared.kube.errors import ConfigurationError
from shared.ports.cluster import ClusterUnavailable

_IN_CLUSTER = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")


class Source(Struct, frozen=True, kw_only=True):
    """Where to learn how the API server is reached.

    `in_cluster` is whether to be the pod's service account; None means: if there is one and no
    kubeconfig is named. No kubeconfig means the user's own.
    """

    kubeconfig: str = ""
    context: str = ""
    in_cluster: bool | None = None


class Credentials:
    """The API server's address, how to trust it, and who we are; renewed when they expire."""

    def __init__(self, configuration: Any, loader: Any, context: ssl.SSLContext) -> None:
        self._configuration = configuration
        self._loader = loader
        self._renewing = asyncio.Lock()
        self.tls = context
        self.host: str = configuration.host.rstrip("/")
        self.proxy: str | None = configuration.proxy or None
        self.server_name: str | None = configuration.tls_server_name or None

    async def headers(self) -> Mapping[str, str]:
        """Return what says who we are."""
        if getattr(self._loader, "exec_plugin_expiry", None) is not None:
            await self._renew()
        settings = await self._configuration.auth_settings()
        return {entry["key"]: entry["value"] for entry in settings.values()}

    async def _renew(self) -> None:
        async with self._renewing:
            if not await self._loader.load_from_exec_plugin():
                raise ClusterUnavailable(
                    "the credential plugin of the kubeconfig failed", undone=True
                )
            self._configuration.api_key["BearerToken"] = self._loader.token


async def load(source: Source) -> Credentials:
    """Find out how to reach the API server; raise `ConfigurationError` with a sentence if not."""
    from kubernetes.aio import client, config  # noqa: PLC0415 - slow, and not always needed

    configuration = client.Configuration()
    try:
        loader = await _loaded(source, config, configuration)
        context = client.ApiClient(configuration).rest_client.ssl_context
    except (config.ConfigException, OSError, ValueError) as problem:
        raise ConfigurationError(f"{_name(source)} cannot be used: {problem}") from problem
    except yaml.YAMLError as problem:
        raise ConfigurationError(f"{_name(source)} cannot be used: it is not YAML") from problem
    except (AttributeError, LookupError, TypeError) as problem:
        sentence = f"{_name(source)} cannot be used: it has not the shape of a kubeconfig"
        raise ConfigurationError(sentence) from problem
    return Credentials(configuration, loader, context)


async def _loaded(source: Source, config: Any, configuration: Any) -> Any:
    if _is_in_cluster(source):
        config.load_incluster_config(client_configuration=configuration)
        return None
    _expect_file(source.kubeconfig)
    loader = await config.load_kube_config(
        source.kubeconfig or None,
        source.context or None,
        client_configuration=configuration,
        persist_config=False,
    )
    if _plugin_failed(loader, configuration):
        raise ConfigurationError(
            f"the credential plugin named in {_name(source)} failed; run it by hand to see why"
        )
    return loader


def _is_in_cluster(source: Source) -> bool:
    if source.in_cluster is None:
        return not source.kubeconfig and _IN_CLUSTER.exists()
    return source.in_cluster


def _expect_file(kubeconfig: str) -> None:
    if kubeconfig and not Path(kubeconfig).expanduser().is_file():
        raise ConfigurationError(f"there is no kubeconfig at {kubeconfig}")


def _plugin_failed(loader: Any, configuration: Any) -> bool:
    user = loader._user  # noqa: SLF001 - the only way to learn whether a plugin is configured
    asked = user is not None and "exec" in user
    return asked and not configuration.api_key.get("BearerToken") and not configuration.cert_file


def _name(source: Source) -> str:
    if source.in_cluster:
        return "the pod's service account"
    return f"the kubeconfig at {source.kubeconfig}" if source.kubeconfig else "your kubeconfig"
