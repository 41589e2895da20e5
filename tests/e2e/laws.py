"""What must hold at every moment, checked over everything an observer was told.

Never two live heads of one cluster. A worker is created only while there are fewer live ones than
the most that was wanted since the generation its act had seen. A cluster that lives and was whole
never has fewer live workers than the least it ever wanted. A live pod neither ends nor has failed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from services.executor.performing import ACT_ANNOTATION
from shared.events.decisions import Decided
from shared.events.envelope import Record
from tests.support.fleet import Json, Seen, role_of


class Books:
    """What is known of every cluster, version by version."""

    def __init__(self, generations: Mapping[str, int]) -> None:
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
        elif seen.plural == "pods":
            yield from self._take_pod(seen)

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
        elif owner in self._whole - self._gone and workers < min(self._wanted[owner].values()):
            yield f"{seen.name} of {owner} ended at {seen.version}: {workers} workers are left"

    def _crowded(self, seen: Seen, live: Mapping[str, str], workers: int) -> Iterator[str]:
        if list(live.values()).count("head") > 1:
            yield f"{seen.owner} has two live heads at {seen.version}"
        since = self._generations[seen.body["metadata"]["annotations"][ACT_ANNOTATION]]
        wanted = self._wanted[seen.owner]
        most = max(count for generation, count in wanted.items() if generation >= since)
        if role_of(seen.body) == "worker" and workers > most:
            yield f"{seen.owner} has {workers} live workers at {seen.version}, {most} wanted"

    def _newest(self, uid: str) -> int:
        wanted = self._wanted[uid]
        return wanted[max(wanted)] if wanted else 0


def broken_laws(history: Iterable[Seen], records: Iterable[Record]) -> list[str]:
    """Return everything that was wrong at some moment, oldest first."""
    acts = [body for record in records if isinstance(body := record.envelope.body, Decided)]
    books = Books({act.id: act.seen.generation for act in acts})
    ordered = sorted(history, key=lambda seen: seen.version)
    return [problem for seen in ordered for problem in books.take(seen)]


def is_live(pod: Seen) -> bool:
    """Whether a pod is there, does not end and has not failed."""
    ended = pod.body.get("status", {}).get("phase") in {"Failed", "Succeeded"}
    return not (pod.gone or ended or "deletionTimestamp" in pod.body["metadata"])


def _replicas(cluster: Json) -> int:
    return sum(int(group["replicas"]) for group in cluster["spec"]["workerGroupSpecs"])
