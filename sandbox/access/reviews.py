"""Questions about access: may I, may they, who is this, and a token, please.

Each takes the body of the question and returns it with an answer in its status; nothing is stored.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta

from sandbox.access import rbac, tokens
from sandbox.access.attributes import Attributes
from sandbox.access.users import AUTHENTICATED, User, account
from sandbox.errors import ApiError
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, timestamp
from sandbox.state import State

TOKEN_SECONDS = 3600
SHORTEST_SECONDS = 600


class Asker:
    """What reviews need to know of the server and of who asks."""

    def __init__(self, state: State, secret: str) -> None:
        self.state = state
        self._secret = secret

    def user_of(self, token: str) -> User | None:
        """Return whose token this is."""
        claims = tokens.read(token, self._secret, self.state.clock())
        if claims is None:
            return None
        found = self.state.store.get("serviceaccounts", claims.namespace, claims.name)
        if found is None or metadata(found).get("uid") != claims.uid:
            return None
        return account(claims.namespace, claims.name, claims.uid)

    def token(self, body: Object, namespace: str, name: str) -> Object:
        """Answer a TokenRequest for a service account."""
        kind = self.state.registry.find("serviceaccounts")
        owner = self.state.find(kind, namespace, name)
        seconds = int(dig(body, "spec.expirationSeconds") or TOKEN_SECONDS)
        if seconds < SHORTEST_SECONDS:
            raise ApiError.bad_request("may not specify a duration less than 10 minutes")
        ends_at = self.state.clock() + timedelta(seconds=seconds)
        claims = tokens.Claims(
            namespace=namespace_of(owner),
            name=name_of(owner),
            uid=str(metadata(owner)["uid"]),
            expires_at=ends_at,
        )
        spec = {"audiences": ["https://kubernetes.default.svc"], "expirationSeconds": seconds}
        return {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "creationTimestamp": timestamp(self.state.clock()),
            },
            "spec": {**spec, "boundObjectRef": None},
            "status": {
                "token": tokens.issued(claims, self._secret),
                "expirationTimestamp": timestamp(ends_at),
            },
        }

    def may_i(self, body: Object, user: User) -> Object:
        """Answer a SelfSubjectAccessReview."""
        wanted = _wanted(body)
        ok = rbac.allowed(self.state.store, user, wanted)
        return _answered(body, {"allowed": ok})

    def may_they(self, body: Object, _: User) -> Object:
        """Answer a SubjectAccessReview."""
        groups = tuple(dig(body, "spec.groups") or ())
        them = User(name=str(dig(body, "spec.user") or ""), groups=groups)
        return _answered(body, {"allowed": rbac.allowed(self.state.store, them, _wanted(body))})

    def my_rules(self, body: Object, user: User) -> Object:
        """Answer a SelfSubjectRulesReview."""
        namespace = str(dig(body, "spec.namespace") or "")
        found = rbac.EVERYTHING if user.almighty else rbac.rules(self.state.store, user, namespace)
        resources, paths = rbac.spelled(found)
        status = {"resourceRules": resources, "nonResourceRules": paths, "incomplete": False}
        return {**_answered(body, status), "spec": {}}

    def who_is(self, body: Object, _: User) -> Object:
        """Answer a TokenReview."""
        user = self.user_of(str(dig(body, "spec.token") or ""))
        if user is None:
            told = "[invalid bearer token, unknown]"
            return _answered(body, {"user": {}, "error": told})
        return _answered(body, {"authenticated": True, "user": _shown(user)})

    def who_am_i(self, body: Object, user: User) -> Object:
        """Answer a SelfSubjectReview."""
        return _answered(body, {"userInfo": _shown(user)})

    def reviews(self) -> Mapping[tuple[str, str], Callable[[Object, User], Object]]:
        """Return every question by group and plural."""
        return {
            ("authorization.k8s.io", "selfsubjectaccessreviews"): self.may_i,
            ("authorization.k8s.io", "subjectaccessreviews"): self.may_they,
            ("authorization.k8s.io", "selfsubjectrulesreviews"): self.my_rules,
            ("authentication.k8s.io", "tokenreviews"): self.who_is,
            ("authentication.k8s.io", "selfsubjectreviews"): self.who_am_i,
        }


def _wanted(body: Object) -> Attributes:
    paths = dig(body, "spec.nonResourceAttributes")
    if paths:
        return Attributes(verb=str(paths.get("verb", "")), path=str(paths.get("path", "")))
    given: Object = dig(body, "spec.resourceAttributes") or {}
    fields = ("verb", "group", "namespace", "resource", "subresource", "name")
    return Attributes(**{field: str(given.get(field) or "") for field in fields})


def _shown(user: User) -> Object:
    groups = [*(g for g in user.groups if g != AUTHENTICATED), AUTHENTICATED]
    shown: Object = {"username": user.name, "groups": groups}
    return {**shown, "uid": user.uid} if user.uid else shown


def _answered(body: Object, status: Object) -> Object:
    return {**body, "metadata": metadata(body), "status": status}
