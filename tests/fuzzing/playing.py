"""Plays one trial on a stage: deeds, rest, judgement, the way back, the end.

Invariant: a trial touches its own namespace only. What it finds is a list of sentences, each of
which begins with the word for its kind.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from services.reconciler.decisions.rayjob.unsubmitted import SUBMIT_WITHIN
from tests.differential.stories import Objects
from tests.fuzzing.bases import BASES, NAME, PLURALS
from tests.fuzzing.changes import Change, changed
from tests.fuzzing.judging import Judgement, judge, own, somebody_elses
from tests.fuzzing.likeness import differences, portrait
from tests.fuzzing.reaching import dropped
from tests.fuzzing.resting import A_TICK, at_rest, leftovers, made_of, prepared, stuck
from tests.fuzzing.stage import Reply, Stage
from tests.fuzzing.trials import Shape, Trial
from tests.fuzzing.wishes import OVER

LEAVES_WITHIN = 360.0
"""Who cannot clean up in Redis gives up after 300 s."""
LATER = SUBMIT_WITHIN.total_seconds() + 5
"""Before anything is called silent, so many seconds pass once more: nobody is told for longer."""
BAD, INVALID = 400, 422
FORBIDDEN = 403
DIFFERENCES = 6

Portrait = Mapping[str, list[Any]]
Fresh = Callable[[str, str], Awaitable[Portrait]]


class Outcome(Struct, frozen=True, kw_only=True):
    """How a trial went."""

    trial: Trial
    verdict: str
    """What became of the change: reached, said why, refused, deleted."""
    findings: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Player:
    """One trial under way."""

    def __init__(self, stage: Stage, trial: Trial, fresh: Fresh) -> None:
        self._stage = stage
        self._trial = trial
        self._fresh = fresh
        self._plural = PLURALS[trial.kind]
        self._base = BASES[trial.kind][trial.base]
        self._findings: list[str] = []
        self._said: tuple[str, ...] = ()
        self._refusals: list[str] = []
        self._verdict = ""
        self._made: set[str] = set()
        """What was made before anything was changed, by uid."""

    async def play(self) -> Outcome:
        """Play it; return how it went."""
        await prepared(self._stage, self._trial.name)
        if self._trial.shape is Shape.BORN:
            await self._born()
        else:
            await self._grown()
        await self._end()
        return Outcome(
            trial=self._trial,
            verdict=self._verdict,
            findings=tuple(self._findings),
            said=(*self._refusals, *self._said),
        )

    async def _born(self) -> None:
        spec = changed(self._trial.kind, self._base["spec"], self._trial.changes)
        reply = await self._create({**self._base, "spec": spec})
        if not self._heard(reply):
            self._verdict = "refused"
            return
        await self._judged(self._trial.changes)
        await self._back()

    async def _grown(self) -> None:
        reply = await self._create(self._base)
        if not reply.done:
            self._findings.append(f"base: it is refused: {reply.message}")
            return
        self._made = made_of(await self._at_rest())
        done = [await self._change(number) for number in range(1, len(self._trial.changes) + 1)]
        if not any(done):
            self._verdict = "refused"
        if self._trial.shape is Shape.CUT:
            await self._stage.sleep(self._trial.pause)
            self._verdict = self._verdict or "deleted"
            return
        if self._trial.shape is Shape.CHANGE and any(done):
            await self._judged(self._trial.changes)
        self._verdict = self._verdict or "went back"
        await self._back()

    async def _change(self, upto: int) -> bool:
        changes = self._trial.changes[:upto]
        spec = changed(self._trial.kind, self._base["spec"], changes)
        return self._heard(await self._stage.change(*self._place(), spec))

    async def _judged(self, changes: tuple[Change, ...]) -> None:
        objects = await self._at_rest()
        judgement = judge(self._trial.kind, objects, self._stage.features, changes)
        if judgement.findings:
            objects = await self._later()
            judgement = judge(self._trial.kind, objects, self._stage.features, changes)
        self._take(judgement)
        if self._trial.shape is Shape.BORN:
            self._findings.extend(f"dropped: {one}" for one in dropped(objects))
        self._verdict = judgement.verdict

    async def _back(self) -> None:
        """Go back to the base: everything must be as if nothing had been, unless it is over."""
        before = await self._stage.look(self._trial.name)
        over = self._is_over(before)
        if own(self._trial.kind, before) is None:
            return
        reply = await self._stage.change(*self._place(), self._base["spec"])
        if not reply.done:
            self._refusals.append(reply.message)
            return
        objects = await self._at_rest()
        if over or own(self._trial.kind, objects) is None:
            return
        aside = made_of(before) - self._made
        judgement = judge(self._trial.kind, objects, self._stage.features)
        if judgement.unmet:
            objects = await self._later()
            judgement = judge(self._trial.kind, objects, self._stage.features)
        if judgement.unmet:
            if not (judgement.said and stuck(objects, aside)):
                self._findings.extend(f"not back: {one}" for one in judgement.unmet)
        elif not (
            self._is_over(objects)
            or self._left_to_autoscaler(objects, aside)
            or self._goes_by_a_given_name(objects)
        ):
            await self._compare(objects, aside)

    def _left_to_autoscaler(self, objects: Objects, aside: set[str]) -> bool:
        """Tell of workers that a change brought: where an autoscaler is in charge it takes them."""
        pods = {one["metadata"]["uid"] for one in objects.get("pods", ())}
        return bool(self._base["spec"].get("enableInTreeAutoscaling")) and bool(pods & aside)

    def _goes_by_a_given_name(self, objects: Objects) -> bool:
        """Tell of a job that was to select a cluster: its attempt keeps the name, as with KubeRay.

        Without the selector it makes a cluster of that name.
        """
        resource = own(self._trial.kind, objects) or {}
        name = (resource.get("status") or {}).get("rayClusterName", "")
        return bool(name) and not name.startswith(f"{NAME}-")

    async def _compare(self, objects: Objects, aside: set[str]) -> None:
        """Compare with a namespace where nothing was changed.

        The cluster of a job stays as it was made, and that of a service keeps its replicas: how
        many pods it has is its own business.
        """
        fresh = await self._fresh(self._trial.kind, self._trial.base)
        now = portrait(self._trial.name, objects, aside)
        stays = any(one["metadata"]["uid"] in aside for one in objects.get("rayclusters", ()))
        compared = _COMPARED.get(self._trial.kind, {*fresh, *now}) - ({"pods"} if stays else set())
        apart = differences(*(_only(compared, one) for one in (fresh, now)))
        self._findings.extend(f"not back: {one}" for one in list(apart)[:DIFFERENCES])

    def _is_over(self, objects: Objects) -> bool:
        """Tell whether it is a job that has ended: that is final, whatever is wished now."""
        resource = own(self._trial.kind, objects) or {}
        return (resource.get("status") or {}).get("jobDeploymentStatus") in OVER

    async def _end(self) -> None:
        """Delete it, and see that nothing is left, unless that is another's to see to."""
        before = own(self._trial.kind, await self._stage.look(self._trial.name))
        await self._stage.delete(*self._place())
        if before is not None and somebody_elses(before):
            return
        ends = self._stage.now() + LEAVES_WITHIN
        left = leftovers(await self._stage.look(self._trial.name))
        while left and self._stage.now() < ends:
            await self._stage.sleep(self._stage.pace.look_every)
            left = leftovers(await self._stage.look(self._trial.name))
        if left:
            self._findings.append(f"left: {', '.join(left[:DIFFERENCES])}")

    async def _later(self) -> Objects:
        """Look again after a while: who is slow is not silent."""
        await self._stage.sleep(LATER)
        return await self._at_rest()

    async def _at_rest(self) -> Objects:
        at_least = A_TICK if self._trial.kind == "RayCronJob" else 0.0
        objects, found = await at_rest(self._stage, self._trial.name, at_least)
        self._findings.extend(found)
        return objects

    def _heard(self, reply: Reply) -> bool:
        """Take note of a refusal, which must be of the kind that users can act on."""
        if not reply.done:
            self._refusals.append(reply.message)
            if reply.code not in (BAD, INVALID, FORBIDDEN):
                self._findings.append(f"api: {reply.code}: {reply.message}")
        return reply.done

    def _take(self, judgement: Judgement) -> None:
        self._findings.extend(judgement.findings)
        self._said = judgement.said

    def _place(self) -> tuple[str, str, str]:
        return self._trial.name, self._plural, NAME

    async def _create(self, manifest: Any) -> Reply:
        return await self._stage.create(self._trial.name, manifest)


_COMPARED = {"RayCronJob": {PLURALS["RayCronJob"]}}
"""What is compared, where that is not everything: what a schedule has made depends on the time."""


def _only(plurals: set[str], seen: Portrait) -> Portrait:
    return {plural: found for plural, found in seen.items() if plural in plurals}
