"""Rules about token authentication."""

import pytest

from tests.support.rayclusters import cluster, problems_of


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (None, "RayVersion was not specified. Ray version 2.52.0 or later is required"),
        ("new", "RayVersion format is invalid: new, not a version such as 2.52.0"),
        ("2.51.0", "minimum Ray version is 2.52.0, got 2.51.0"),
    ],
)
def test_tokens_need_a_recent_ray(version: str | None, message: str) -> None:
    """Checklist 14."""
    wanted = cluster(rayVersion=version, authOptions={"mode": "token"})

    assert problems_of(wanted) == [
        ("spec.authOptions.mode", f"authOptions.mode is 'token' but {message}")
    ]


def test_service_account_tokens_need_a_newer_ray_and_no_secret() -> None:
    """Checklist 14."""
    options = {"mode": "token", "enableK8sTokenAuth": True, "secretName": "mine"}

    assert problems_of(cluster(rayVersion="2.54.0", authOptions=options)) == [
        (
            "spec.authOptions.enableK8sTokenAuth",
            (
                "authOptions.enableK8sTokenAuth is enabled but minimum Ray version is 2.55.0, got "
                "2.54.0"
            ),
        ),
        (
            "spec.authOptions.secretName",
            "authOptions.enableK8sTokenAuth is enabled and authOptions.secretName is also set",
        ),
    ]


def test_service_account_tokens_need_the_token_mode() -> None:
    assert problems_of(cluster(authOptions={"enableK8sTokenAuth": True})) == [
        (
            "spec.authOptions.enableK8sTokenAuth",
            "authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'",
        )
    ]
