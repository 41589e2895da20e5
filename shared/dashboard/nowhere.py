"""No dashboard at all: for whoever runs without a way to Ray clusters. Every call fails."""

from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import Door
from shared.ports.dashboard import DashboardFailed, Failure, Place


class NoDoors:
    """`Doors` that lead nowhere."""

    async def door(self, place: Place) -> Door:
        """Fail."""
        told = f"there is no way to the dashboard of {place.namespace}/{place.service}"
        raise DashboardFailed(Failure.UNREACHABLE, told)

    async def pod(self, namespace: str, name: str, ip: str, port: int) -> Door:
        """Fail."""
        told = f"there is no way to port {port} of {namespace}/{name} at {ip}"
        raise DashboardFailed(Failure.UNREACHABLE, told)


NOWHERE = RayDashboards(NoDoors())
