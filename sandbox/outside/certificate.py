"""What the kubelet's door shows and whom it lets in: TLS with a certificate made for the occasion.

API servers connect to kubelets by TLS only, and take any certificate unless they are told whom to
trust. Made with `openssl`; the key is in memory and in a folder that is gone once it was read.
"""

import shutil
import ssl
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

DAYS = "365"
KIND = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
SUBJECT = ("-subj", "/O=system:nodes/CN=system:node:sandbox")
NAMES = ("-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost")


class NoCertificateError(RuntimeError):
    """`openssl` is missing or refused."""


def make_context(authority: bytes) -> ssl.SSLContext:
    """Make a certificate; where an authority is known, only clients it vouches for get in."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    if authority:
        context.load_verify_locations(cadata=authority.decode())
        context.verify_mode = ssl.CERT_REQUIRED
    with TemporaryDirectory() as folder:
        key, certificate = Path(folder) / "door.key", Path(folder) / "door.crt"
        _make(key, certificate)
        context.load_cert_chain(certificate, key)
    return context


def _make(key: Path, certificate: Path) -> None:
    program = shutil.which("openssl")
    if program is None:
        raise NoCertificateError("no openssl on the path: it makes the certificate")
    files = ("-keyout", str(key), "-out", str(certificate))
    done = subprocess.run(  # noqa: S603 - our own words
        (program, "req", "-x509", "-days", DAYS, *KIND, *SUBJECT, *NAMES, *files),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NoCertificateError(f"openssl failed: {done.stderr.strip()}")
