"""Which kinds are watched."""

from shared.kube.kinds import POD, RAYCLUSTER, SERVICE

WATCHED = (RAYCLUSTER, POD, SERVICE)
