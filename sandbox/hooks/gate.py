"""The gate before every write: rehearse it, ask the webhooks, let it pass.

Webhooks see the object as it would be stored, so a write is first carried out as a dry run; what is
invalid anyway is refused there and nobody is asked. If the object has changed meanwhile, everything
is asked again. Read next: matching.py, questions.py.
"""

import asyncio
from collections.abc import Iterator

from msgspec.structs import replace

from sandbox.access.users import User
from sandbox.cluster import Cluster
from sandbox.hooks.asking import ask
from sandbox.hooks.matching import RESOURCE, Hook, hooks_for
from sandbox.hooks.questions import (
    NoAnswerError,
    Operation,
    Question,
    failed,
    no_dry_runs,
    review,
    verdict,
)
from sandbox.objects import Object, metadata, name_of, namespace_of, with_metadata
from sandbox.requests import WRITING, Answer, Request

ATTEMPTS = 5


class Gate:
    """Lets writes to one cluster pass, or not."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def carry_out(self, request: Request, user: User) -> Answer:
        """Carry a request out if every webhook that is concerned agrees."""
        store = self._cluster.state.store
        if request.verb not in WRITING or not any(True for _ in store.objects(RESOURCE)):
            return self._cluster.carry_out(request)
        for _ in range(ATTEMPTS):
            before = self._held(request)
            rehearsed = self._cluster.rehearse(request)
            warnings = await self._agreed(request, user, before, rehearsed)
            if self._held(request) is before:
                answer = self._cluster.carry_out(_named(request, rehearsed))
                return replace(answer, warnings=(*answer.warnings, *warnings))
        kind = self._cluster.state.registry.find(request.resource)
        raise kind.conflict(request.name)

    def _held(self, request: Request) -> Object | None:
        kind = self._cluster.state.registry.find(request.resource)
        place = request.namespace if kind.namespaced else ""
        return self._cluster.state.store.get(kind.resource, place, request.name)

    async def _agreed(
        self, request: Request, user: User, before: Object | None, rehearsed: Answer
    ) -> tuple[str, ...]:
        asked = [
            self._asked(hook, question)
            for question in self._questions(request, user, before, rehearsed)
            for hook in hooks_for(self._cluster.state, question)
        ]
        said = await asyncio.gather(*asked)
        return tuple(warning for warnings in said for warning in warnings)

    def _questions(
        self, request: Request, user: User, before: Object | None, rehearsed: Answer
    ) -> Iterator[Question]:
        if request.verb == "deletecollection":
            for item in rehearsed.items:
                yield self._question(request, user, "DELETE", item, None)
        elif request.verb == "delete":
            yield self._question(request, user, "DELETE", before, None)
        else:
            made: Operation = "CREATE" if rehearsed.code == 201 else "UPDATE"  # noqa: PLR2004
            yield self._question(request, user, made, before, rehearsed.body)

    def _question(
        self,
        request: Request,
        user: User,
        operation: Operation,
        old: Object | None,
        new: Object | None,
    ) -> Question:
        seen: Object = new or old or {}
        return Question(
            uid=self._cluster.state.uids(),
            operation=operation,
            kind=self._cluster.state.registry.find(request.resource),
            version=request.version,
            subresource=request.subresource,
            namespace=request.namespace or namespace_of(seen),
            name=request.name or name_of(seen),
            user=user,
            dry_run=request.dry_run,
            new=new,
            old=None if operation == "CREATE" else old,
        )

    async def _asked(self, hook: Hook, question: Question) -> tuple[str, ...]:
        if question.dry_run and not hook.harmless:
            raise no_dry_runs(hook.name)
        try:
            said = await ask(hook, review(question, hook.version))
            return verdict(hook.name, question, said)
        except NoAnswerError as error:
            if hook.ignorable:
                return ()
            raise failed(hook.name, str(error)) from error


def _named(request: Request, rehearsed: Answer) -> Request:
    """Keep the name that was made from a prefix: it is the one that the webhooks saw."""
    body = request.body
    if request.verb != "create" or request.subresource or not isinstance(body, dict):
        return request
    if metadata(body).get("name") or not metadata(body).get("generateName"):
        return request
    return replace(request, body=with_metadata(body, name=name_of(rehearsed.body)))
