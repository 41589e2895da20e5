"""A cluster with mutual TLS from nothing to rest, with a cert-manager that issues what it sees."""

from itertools import count

from msgspec.structs import replace

from shared.actions.objects import Action, CreateObject, PatchObject, PostNotice
from shared.actions.outcomes import Done
from shared.events.objects import ChildSeen, Meta, Observation
from shared.kernel.manifests import labels_of, mapping_at, thawed, words_at
from tests.support.builders import UID, Raw, cluster_spec, group, head, owner, resource, worker
from tests.support.builders import service as service_seen
from tests.support.certificates import OPEN
from tests.support.plot import Plot

SPEC = cluster_spec(group("small", 3), tlsOptions={"enabled": True})
ROUNDS = 20


class World(Plot):
    """A Kubernetes that does what it is asked, and shows it a moment later."""

    def __init__(self) -> None:
        super().__init__(OPEN)
        self.certificates: dict[str, ChildSeen] = {}
        self._hosts = count(1)

    def round(self) -> tuple[Action, ...]:
        """Decide, do and show; return what was asked for."""
        act = self.decides()
        if act is None:
            return ()
        self.acts(act)
        self.executes(act)
        answer = self.view().answer
        assert answer is not None or not act.actions
        for action, outcome in zip(act.actions, answer.outcomes if answer else (), strict=True):
            version = outcome.resource_version if isinstance(outcome, Done) else 0
            for shown in self._shown(action, act.manifests, version):
                self.sees(shown)
        return act.actions

    def issues(self) -> None:
        """cert-manager issues every certificate as it stands."""
        for name, seen in self.certificates.items():
            ready: Raw = {"type": "Ready", "status": "True"}
            ready["observedGeneration"] = seen.meta.generation
            meta = replace(seen.meta, resource_version=seen.meta.resource_version + 1)
            self.certificates[name] = replace(seen, meta=meta, status={"conditions": [ready]})
            self.sees(self.certificates[name])

    def _shown(
        self, action: Action, manifests: dict[str, dict[str, object]], version: int
    ) -> list[Observation]:
        match action:
            case CreateObject(kind="pod"):
                made = head if action.group == "headgroup" else worker
                pod = made(action.name, version=version)
                return [replace(pod, ip=f"10.0.0.{next(self._hosts)}")]
            case CreateObject(kind="service"):
                return [service_seen(action.name, version=version)]
            case CreateObject(kind="certificate" | "issuer"):
                return [self._keep(action.kind, action.name, manifests[action.manifest], version)]
            case PatchObject():
                old = self.certificates[action.name]
                meta = replace(
                    old.meta, resource_version=version, generation=old.meta.generation + 1
                )
                spec = thawed(mapping_at(action.patch, "spec"))
                self.certificates[action.name] = replace(old, meta=meta, spec=spec)
                return [self.certificates[action.name]]
            case _:
                return []

    def _keep(self, kind: str, name: str, manifest: Raw, version: int) -> ChildSeen:
        meta = Meta(
            name=name,
            namespace="prod",
            uid=f"uid-of-{name}",
            resource_version=version,
            generation=1,
            labels=labels_of(manifest),
            owners=(owner(UID),),
        )
        seen = ChildSeen(meta=meta, kind=kind, spec=thawed(mapping_at(manifest, "spec")))
        if kind == "certificate":
            self.certificates[name] = seen
        return seen


def test_it_comes_to_rest_with_certificates_that_name_every_pod() -> None:
    world = World()
    world.sees(resource(SPEC))
    asked: list[Action] = []

    for _ in range(ROUNDS):
        new = world.round()
        asked += new
        world.issues()
        if not new and world.decides() is None:
            break

    assert world.decides() is None
    named = {name: words_at(one.spec, "ipAddresses") for name, one in world.certificates.items()}
    assert named["ray-head-cert-demo"] == ("10.0.0.1", "127.0.0.1")
    assert named["ray-worker-cert-demo"] == ("10.0.0.2", "10.0.0.3", "10.0.0.4", "127.0.0.1")
    made = [one for one in asked if isinstance(one, CreateObject)]
    assert len({(one.kind, one.name) for one in made}) == len(made) == 13
    assert [one.reason for one in asked if isinstance(one, PostNotice)] == [
        "MTLSCertsNotReady",
        "MTLSPKIReady",
    ]


def test_nothing_is_made_twice_while_cert_manager_takes_its_time() -> None:
    world = World()
    world.sees(resource(SPEC))
    first = world.round()

    assert world.round() == ()
    assert not any(isinstance(one, CreateObject) and one.kind == "pod" for one in first)
    world.issues()
    kinds = {one.kind for one in world.round() if isinstance(one, CreateObject)}
    assert kinds == {"pod"}
