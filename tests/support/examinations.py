"""Facts about a healthy installation, for tests that spoil one of them."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from heliograph.views.doctor.checks import Check, Mark
from heliograph.views.doctor.facts import (
    Account,
    Acts,
    Bus,
    Cluster,
    Coded,
    Consumer,
    Definition,
    Facts,
    Here,
    Holder,
    Lease,
    Listed,
    Presence,
    Server,
    Stream,
)
from heliograph.views.doctor.judging import judged

NOW = datetime(2030, 1, 1, 3, 0, tzinfo=UTC)
SESSION = "7:one"
KINDS = ("raycluster", "pod")
HERE = Here(version="0.1.0", rules=1, kinds=KINDS, namespace="heliograph")
LISTED = tuple(Listed(kind=kind, session=SESSION, at=NOW - timedelta(minutes=5)) for kind in KINDS)
PRESENCE = Presence(
    members={"reconciler": ("one", "two"), "status": ("one",), "asker": ("one",)},
    leases=tuple(Lease(what=kind, holder=SESSION) for kind in KINDS),
)
ACTS = Acts(count=3, codes=(Coded(code="heliograph/0.1.0", acts=3, last_at=NOW),), rules=1)
STREAMS = {
    name: Stream(name=name, messages=1200, bytes=3 << 20)
    for name in ("RAYTIME", "RAYLOG", "RAYPUB", "KV_raymembers")
}
BUS = Bus(
    where="nats://127.0.0.1:4222",
    server=Server(version="2.15.1", jetstream=True, skew=timedelta(milliseconds=3)),
    account=Account(storage=5 << 20),
    streams=STREAMS,
    consumers={name: Consumer(name=name, hands=1) for name in ("executor", "scheduler")},
    presence=PRESENCE,
    listed=LISTED,
    acts=ACTS,
    shadow=False,
)
CLUSTER = Cluster(
    where="https://10.0.0.1",
    version="v1.37.0",
    definitions={
        name: Definition(name=name, versions=("v1",))
        for name in ("rayclusters.ray.io", "rayjobs.ray.io")
    },
    holders=(
        Holder(
            services=("status",),
            account="system:serviceaccount:heliograph:heliograph-status",
            deployed=True,
            asked=4,
            lacking=(),
        ),
    ),
)
HEALTHY = Facts(now=NOW, here=HERE, bus=BUS, cluster=CLUSTER)


def bus_with(**changes: object) -> Facts:
    """Return facts of an installation whose bus differs from a healthy one's."""
    return replace(HEALTHY, bus=replace(BUS, **changes))


def cluster_with(**changes: object) -> Facts:
    """Return facts of an installation whose Kubernetes differs."""
    return replace(HEALTHY, cluster=replace(CLUSTER, **changes))


def troubles(facts: Facts) -> tuple[Check, ...]:
    """Return every check that is not well."""
    return tuple(one for one in judged(facts).checks if one.mark is not Mark.WELL)


def only_trouble(facts: Facts) -> Check:
    """Return the one check that is not well, and fail if there is none or another."""
    found = troubles(facts)
    assert len(found) == 1, [f"{one.what}: {one.says}" for one in found]
    return found[0]
