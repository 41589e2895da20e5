"""Reading one Secret when its token is needed. What is in it is kept nowhere.

Secrets are neither listed nor watched. A Secret that cannot be read is a dashboard that cannot be
asked: the failure is told as one of the dashboard's, without a word of what the Secret holds.
"""

from collections.abc import Mapping

import msgspec

from shared.kube import paths
from shared.kube.kinds import SECRET
from shared.kube.session import Call, Session
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable
from shared.ports.dashboard import DashboardFailed, Failure

_NOT_FOUND = 404


class KubeSecrets:
    """Finds Secrets in one cluster; call it with namespace and name."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def __call__(self, namespace: str, name: str) -> Mapping[str, object] | None:
        """Return a Secret, None if there is none; raise `DashboardFailed` if nobody can tell."""
        call = Call(method="GET", path=paths.single(SECRET, namespace, name))
        told = f"secret {namespace}/{name} cannot be read"
        try:
            found: dict[str, object] = msgspec.json.decode(
                await self._session.read(call), type=dict
            )
        except ClusterRefusal as refusal:
            if refusal.code == _NOT_FOUND:
                return None
            raise DashboardFailed(Failure.UNAUTHORIZED, f"{told}: {refusal.reason}") from None
        except ClusterUnavailable as problem:
            raise DashboardFailed(Failure.UNREACHABLE, f"{told}: {problem}") from None
        except msgspec.MsgspecError:
            raise DashboardFailed(Failure.UNREACHABLE, f"{told}: no answer") from None
        return found
