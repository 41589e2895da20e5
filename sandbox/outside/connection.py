"""From a kubeconfig to an HTTP session: address, whom to trust, who we are.

Reads what `tools/realkube`, the sandbox and kind write: certificates and keys in the file itself or
beside it, or a token. Plug-ins that fetch credentials are not for this.
"""

import base64
import ssl
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import msgspec
import yaml


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Where the API server is and what to show it."""

    url: str
    authority: bytes = b""
    certificate: bytes = b""
    key: bytes = b""
    token: str = ""


def read_kubeconfig(path: Path) -> Access:
    """Read the current context of a kubeconfig."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    context = _named(document, "contexts", document["current-context"])["context"]
    cluster = _named(document, "clusters", context["cluster"])["cluster"]
    user = _named(document, "users", context["user"])["user"] or {}
    return Access(
        url=cluster["server"],
        authority=_content(cluster, "certificate-authority", path.parent),
        certificate=_content(user, "client-certificate", path.parent),
        key=_content(user, "client-key", path.parent),
        token=user.get("token", ""),
    )


def open_session(access: Access) -> aiohttp.ClientSession:
    """Open a session; must run inside an event loop."""
    headers = {"Authorization": f"Bearer {access.token}"} if access.token else {}
    secured = access.url.startswith("https:")
    connector = aiohttp.TCPConnector(ssl=_trust(access) if secured else True)
    return aiohttp.ClientSession(access.url, headers=headers, connector=connector)


def _trust(access: Access) -> ssl.SSLContext:
    authority = access.authority.decode() or None
    context = ssl.create_default_context(cadata=authority)
    if access.certificate:
        with TemporaryDirectory() as folder:  # the library takes a file or nothing
            chain = Path(folder) / "client.pem"
            chain.touch(mode=0o600)
            chain.write_bytes(access.certificate + b"\n" + access.key)
            context.load_cert_chain(chain)
    return context


def _named(document: Mapping[str, Any], section: str, name: str) -> Any:
    return next(entry for entry in document[section] if entry["name"] == name)


def _content(entry: Mapping[str, Any], field: str, folder: Path) -> bytes:
    if inline := entry.get(f"{field}-data"):
        return base64.b64decode(inline)
    return (folder / entry[field]).read_bytes() if field in entry else b""
