"""The way to Ray dashboards: straight to them, or through the API server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import ProxyDoors, StraightDoors
from shared.dashboard.tokens import SecretTokens
from shared.kube.secrets import KubeSecrets
from shared.kube.session import Session
from shared.ports.dashboard import Dashboard
from shared.runtime.settings import KubeSettings


@asynccontextmanager
async def open_dashboards(settings: KubeSettings, session: Session) -> AsyncIterator[Dashboard]:
    """Find dashboards while the block runs."""
    tokens = SecretTokens(KubeSecrets(session))
    if settings.use_kubernetes_proxy:
        yield RayDashboards(ProxyDoors(session.http, session.host, session.identity, tokens))
        return
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=10),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        proxy=settings.dashboard_proxy or None,
    ) as http:
        yield RayDashboards(StraightDoors(http, tokens))
