"""What the API server fills in for a configuration of webhooks. Pure."""

from sandbox.objects import Object, dig, rows


def completed_hooks(obj: Object) -> Object:
    """Complete a configuration of webhooks: each hook and each of its rules."""
    return {**obj, "webhooks": [_hook(hook) for hook in rows(obj, "webhooks")]}


def _hook(hook: Object) -> Object:
    usual: Object = {
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
        "timeoutSeconds": 10,
    }
    filled = {**usual, **hook}
    if rules := list(rows(hook, "rules")):
        filled["rules"] = [{"scope": "*", **rule} for rule in rules]
    service = dig(hook, "clientConfig.service")
    if isinstance(service, dict):
        filled["clientConfig"] = {**hook["clientConfig"], "service": {"port": 443, **service}}
    return filled
