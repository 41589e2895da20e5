"""Which kinds are watched."""

from shared.kube.kinds import CHILDREN, POD, RAYCLUSTER, SERVICE

WATCHED = (RAYCLUSTER, POD, SERVICE, *CHILDREN)
