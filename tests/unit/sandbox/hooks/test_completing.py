"""What is filled in for a configuration of webhooks."""

from sandbox.hooks.completing import completed_hooks


def test_fills_in_what_a_webhook_does_not_say_and_leaves_what_it_says() -> None:
    service = {"namespace": "a", "name": "b"}
    hook = {
        "name": "judge",
        "clientConfig": {"service": service},
        "rules": [{"resources": ["things"]}, {"scope": "Cluster"}],
        "timeoutSeconds": 3,
    }

    (made,) = completed_hooks({"webhooks": [hook]})["webhooks"]

    assert made == {
        "name": "judge",
        "clientConfig": {"service": {"port": 443, **service}},
        "rules": [{"scope": "*", "resources": ["things"]}, {"scope": "Cluster"}],
        "timeoutSeconds": 3,
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {},
    }
