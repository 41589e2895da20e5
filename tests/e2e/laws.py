"""What must hold at every moment, checked over everything an observer was told.

Never two live heads of one cluster. A worker is created only while there are fewer live ones than
the most that was wanted since the generation its act had seen. A cluster that lives and was whole
never has fewer live workers than the least it ever wanted, unless the story takes some away. A live
pod neither ends nor has failed. What nobody owns is nobody's to touch: it stays and keeps its spec
and labels. Everything that we make names an act of the log.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from services.executor.performing import ACT_ANNOTATION
from shared.events.decisions import Decided
from shared.events.envelope import Record
from tests.support.fleet import Json, Seen, role_of


class Books:
    """What is known of every cluster, version by version."""

    def __init__(self, generations: Mapping[str, int], *, lossy: bool = False) -> None:
        self._lossy = lossy
        self._strangers: dict[str, Json] = {}
        self._generations = generations
        """The generation that an act had seen, by the act's id."""
        self._wanted: dict[str, dict[int, int]] = defaultdict(dict)
        self._live: dict[str, dict[str, str]] = defaultdict(dict)
        self._whole: set[str] = set()
        self._gone: set[str] = set()

    def take(self, seen: Seen) -> Iterator[str]:
        """Fold one version; yield what it breaks."""
        if seen.plural == "rayclusters":
            self._take_cluster(seen)
        elif not seen.owner:
            yield from self._take_stranger(seen)
        elif _maker(seen) not in self._generations:
            yield from self._unasked(seen)
        elif seen.plural == "pods":
            yield from self._take_pod(seen)

    def _take_stranger(self, seen: Seen) -> Iterator[str]:
        known = self._strangers.setdefault(seen.uid, _own_part(seen))
        if seen.gone:
            yield f"{seen.plural} {seen.name} of somebody else is gone at {seen.version}"
        elif _own_part(seen) != known:
            yield f"{seen.plural} {seen.name} of somebody else is another at {seen.version}"

    def _unasked(self, seen: Seen) -> Iterator[str]:
        """Tell of what a RayCluster owns and no act asked for; the rest is other controllers'."""
        if seen.owner in self._wanted:
            yield f"{seen.plural} {seen.name} at {seen.version} was asked for by no act"

    def _take_cluster(self, seen: Seen) -> None:
        generation = int(seen.body["metadata"]["generation"])
        self._wanted[seen.uid][generation] = _replicas(seen.body)
        if seen.gone:
            self._gone.add(seen.uid)

    def _take_pod(self, seen: Seen) -> Iterator[str]:
        owner, live = seen.owner, self._live[seen.owner]
        known = seen.uid in live
        if is_live(seen):
            live[seen.uid] = role_of(seen.body)
        else:
            live.pop(seen.uid, None)
        workers = list(live.values()).count("worker")
        if seen.uid in live and not known:
            yield from self._crowded(seen, live, workers)
        if workers >= self._newest(owner):
            self._whole.add(owner)
        elif not self._lossy and self._robbed(owner, workers):
            yield f"{seen.name} of {owner} ended at {seen.version}: {workers} workers are left"

    def _robbed(self, owner: str, workers: int) -> bool:
        """Whether a cluster that was whole and lives has fewer workers than it ever wanted."""
        return owner in self._whole - self._gone and workers < min(self._wanted[owner].values())

    def _crowded(self, seen: Seen, live: Mapping[str, str], workers: int) -> Iterator[str]:
        if list(live.values()).count("head") > 1:
            yield f"{seen.owner} has two live heads at {seen.version}"
        since = self._generations[_maker(seen)]
        wanted = self._wanted[seen.owner]
        most = max(count for generation, count in wanted.items() if generation >= since)
        if role_of(seen.body) == "worker" and workers > most:
            yield f"{seen.owner} has {workers} live workers at {seen.version}, {most} wanted"

    def _newest(self, uid: str) -> int:
        wanted = self._wanted[uid]
        return wanted[max(wanted)] if wanted else 0


def broken_laws(
    history: Iterable[Seen], records: Iterable[Record], *, lossy: bool = False
) -> list[str]:
    """Return everything that was wrong at some moment, oldest first.

    In a `lossy` history others than the operator take workers away.
    """
    acts = [body for record in records if isinstance(body := record.envelope.body, Decided)]
    books = Books({act.id: act.seen.generation for act in acts}, lossy=lossy)
    ordered = sorted(history, key=lambda seen: seen.version)
    return [problem for seen in ordered for problem in books.take(seen)]


def is_live(pod: Seen) -> bool:
    """Whether a pod is there, does not end and has not failed."""
    ended = pod.body.get("status", {}).get("phase") in {"Failed", "Succeeded"}
    return not (pod.gone or ended or "deletionTimestamp" in pod.body["metadata"])


def _maker(seen: Seen) -> str:
    """Return the act that asked for an object; empty if none did."""
    annotations: Mapping[str, str] = seen.body["metadata"].get("annotations", {})
    return annotations.get(ACT_ANNOTATION, "")


def _own_part(seen: Seen) -> Json:
    """Return what of an object is for its owner alone to change; the node is the scheduler's."""
    spec = {key: value for key, value in seen.body["spec"].items() if key != "nodeName"}
    return {"labels": seen.body["metadata"].get("labels", {}), "spec": spec}


def _replicas(cluster: Json) -> int:
    groups = cluster["spec"].get("workerGroupSpecs", [])
    return sum(int(group.get("replicas", 0)) * int(group.get("numOfHosts", 1)) for group in groups)
