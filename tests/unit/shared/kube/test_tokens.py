"""Reading one Secret for its token: found, absent, or nobody can tell."""

from base64 import b64encode
from pathlib import Path

import pytest

from shared.dashboard.tokens import SecretTokens
from shared.kube.secrets import KubeSecrets
from shared.ports.dashboard import DashboardFailed, Failure
from tests.unit.shared.kube.test_session import answering, saying

HIDDEN = "s3cret-token"
SECRET = f'{{"kind": "Secret", "data": {{"auth_token": "{b64encode(HIDDEN.encode()).decode()}"}}}}'


async def test_a_token_comes_out_of_its_secret(tmp_path: Path) -> None:
    """RayJob checklist 46: the Secret is read when its token is needed."""
    async with answering(saying(SECRET), tmp_path) as session:
        assert await SecretTokens(KubeSecrets(session))("prod", "demo") == HIDDEN


async def test_a_secret_that_is_not_there(tmp_path: Path) -> None:
    status = '{"kind": "Status", "reason": "NotFound", "code": 404}'
    async with answering(saying(status, 404), tmp_path) as session:
        assert await KubeSecrets(session)("prod", "demo") is None


@pytest.mark.parametrize(
    ("text", "code", "failure"),
    [
        (
            f'{{"kind": "Status", "reason": "Forbidden", "message": "{HIDDEN}", "code": 403}}',
            403,
            Failure.UNAUTHORIZED,
        ),
        (HIDDEN, 200, Failure.UNREACHABLE),
        ("away", 503, Failure.UNREACHABLE),
    ],
)
async def test_what_cannot_be_read_is_the_dashboards_failure_without_a_word_of_it(
    tmp_path: Path, text: str, code: int, failure: Failure
) -> None:
    async with answering(saying(text, code), tmp_path) as session:
        with pytest.raises(DashboardFailed) as failed:
            await KubeSecrets(session)("prod", "demo")

    assert failed.value.failure is failure
    assert "prod/demo" in failed.value.message
    assert HIDDEN not in failed.value.message
