"""The webhook over real TLS: paths, verdicts, a renewed certificate, an end without hurry."""

import asyncio
import shutil
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from services.webhook.certificate import Certificate
from services.webhook.service import Serving, Webhook
from shared.runtime.failures import FatalError
from shared.validation.check import check
from tests.support.processes import run
from tests.support.tls import make_certificate
from tests.unit.services.webhook.reviews import cluster, review

PATH = "/validate-ray-io-v1-raycluster"
SOON = timedelta(milliseconds=20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_certificate(tmp_path / "certificate")


def certificate(folder: Path) -> Certificate:
    return Certificate(str(folder / "tls.crt"), str(folder / "tls.key"))


def trusting(folder: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(folder / "ca.crt"))


@asynccontextmanager
async def serving(folder: Path, **more: Any) -> AsyncIterator[Webhook]:
    settings = Serving(host="127.0.0.1", port=0, look_every=SOON, linger=SOON, **more)
    webhook = Webhook(certificate(folder), check, settings)
    task = asyncio.create_task(webhook.run())
    async with asyncio.timeout(10):
        await until(lambda: webhook.trouble() is None or task.done())
        yield webhook
        webhook.drain()
        await task


async def shown(webhook: Webhook, folder: Path) -> bytes:
    """Return the certificate that a new connection sees."""
    _, writer = await asyncio.open_connection("127.0.0.1", webhook.port, ssl=trusting(folder))
    seen: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    await writer.wait_closed()
    return seen


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110 - what is waited for rings no bell
        await asyncio.sleep(0.005)


async def until_shown(webhook: Webhook, folder: Path) -> None:
    """Wait until new connections see what is in the file; `serving` bounds it."""
    while await shown(webhook, folder) != of_file(folder):  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.005)


def of_file(folder: Path) -> bytes:
    return ssl.PEM_cert_to_DER_cert((folder / "tls.crt").read_text())


async def post(webhook: Webhook, folder: Path, path: str, body: bytes) -> tuple[int, str]:
    url = f"https://127.0.0.1:{webhook.port}{path}"
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=BytesIO(body), ssl=trusting(folder)) as answer,
    ):
        return answer.status, await answer.text()


async def test_judges_over_tls(folder: Path) -> None:
    async with serving(folder) as webhook:
        good = await post(webhook, folder, PATH, review(cluster()))
        bad = await post(webhook, folder, PATH, review(cluster(groups=("a", "a"))))

    assert (good[0], '"allowed":true' in good[1]) == (200, True)
    assert (bad[0], '"allowed":false' in bad[1]) == (200, True)


async def test_an_object_as_large_as_kubernetes_takes_is_read(folder: Path) -> None:
    large = cluster(annotations={"a": "x" * 3_000_000})

    async with serving(folder) as webhook:
        status, _ = await post(webhook, folder, PATH, review(large, oldObject=large))

    assert status == 200


async def test_what_is_no_review_of_ours_is_an_error_and_nothing_else_is_served(
    folder: Path,
) -> None:
    async with serving(folder) as webhook:
        no_review = await post(webhook, folder, PATH, b"{}")
        elsewhere = await post(webhook, folder, "/validate", review(cluster()))

    assert no_review[0] == 400
    assert no_review[1].startswith("this is no AdmissionReview")
    assert elsewhere[0] == 404


async def test_a_renewed_certificate_is_shown_without_a_restart(folder: Path) -> None:
    async with serving(folder) as webhook:
        before = of_file(folder)
        assert await shown(webhook, folder) == before
        make_certificate(folder)
        await until_shown(webhook, folder)


async def test_a_pair_that_does_not_fit_is_left_alone_until_it_does(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = of_file(folder)
    other = make_certificate(tmp_path / "other")
    async with serving(folder) as webhook:
        shutil.copy(other / "tls.key", folder / "tls.key")
        await until(lambda: "the new certificate cannot be used" in caplog.text)
        assert await shown(webhook, folder) == before
        make_certificate(folder)
        await until_shown(webhook, folder)


async def test_files_that_vanish_for_a_moment_do_no_harm(folder: Path) -> None:
    own = certificate(folder)
    kept = (folder / "tls.key").read_bytes()

    (folder / "tls.key").unlink()
    assert own.look() is False
    (folder / "tls.key").write_bytes(kept)

    assert own.look() is True


@pytest.mark.parametrize(
    ("cert", "key", "sentence"),
    [
        ("", "", "the webhook needs a certificate: --webhook-cert and --webhook-key name"),
        ("none.crt", "none.key", "cannot be used: No such file or directory (none.crt, none.key)"),
    ],
)
def test_without_a_certificate_it_does_not_start(cert: str, key: str, sentence: str) -> None:
    with pytest.raises(FatalError) as refused:
        Certificate(cert, key)

    assert sentence in str(refused.value)


def test_an_encrypted_key_is_refused_and_no_password_asked_for(folder: Path) -> None:
    key, locked = str(folder / "tls.key"), str(folder / "locked.key")
    lock = ("pkcs8", "-topk8", "-in", key, "-out", locked, "-passout", "pass:secret")
    assert run("openssl", *lock).returncode == 0

    with pytest.raises(FatalError, match="cannot be used"):
        Certificate(str(folder / "tls.crt"), locked)


async def test_a_port_that_is_taken_is_told(folder: Path) -> None:
    async with serving(folder) as webhook:
        second = Webhook(certificate(folder), check, Serving(host="127.0.0.1", port=webhook.port))
        with pytest.raises(FatalError, match="--webhook-port"):
            await second.run()


async def test_a_refusal_is_logged_by_its_path_and_never_in_the_users_words(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with serving(folder) as webhook:
        await post(webhook, folder, PATH, review(cluster("Hunter2" * 9)))

    (line,) = [record for record in caplog.records if record.message == "refused"]
    assert "metadata.name" in vars(line)["because"]
    assert "should be" not in vars(line)["because"]
