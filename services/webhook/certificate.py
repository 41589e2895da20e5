"""The certificate that the webhook shows, read again whenever its files change.

Whoever renews it (a controller that writes the Secret, a person) need not restart anything: new
connections see the new one. A pair that does not fit is told of and left alone, and the one before
stays in use until the next look.
"""

import logging
import ssl
from pathlib import Path

from services.webhook.metrics import CERTIFICATES
from shared.runtime.failures import FatalError

_NO_PASSWORD = ""
"""Without one, an encrypted key would be asked for on a terminal that nobody sees."""
Stamp = tuple[tuple[int, int, int], ...]

log = logging.getLogger(__name__)


class Certificate:
    """A pair of files and the TLS context that is made of them."""

    def __init__(self, cert: str, key: str) -> None:
        """Read the files; raise FatalError if they cannot be used."""
        if not cert or not key:
            raise FatalError(
                "the webhook needs a certificate: --webhook-cert and --webhook-key name its files"
            )
        self._files = (Path(cert), Path(key))
        self._stamp = self._looked()
        try:
            self.context = _context(*self._files)
        except OSError as problem:
            raise FatalError(
                f"the certificate of the webhook cannot be used: {_why(problem)} ({cert}, {key})"
            ) from problem

    def look(self) -> bool:
        """Take in the files if they changed; return whether a new pair is in use."""
        stamp = self._looked()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            _context(*self._files)
            self.context.load_cert_chain(*self._files, password=_NO_PASSWORD)
        except OSError as problem:
            CERTIFICATES.labels("unusable").inc()
            log.warning("the new certificate cannot be used", extra={"error": _why(problem)})
            return False
        CERTIFICATES.labels("taken").inc()
        log.info("a new certificate is in use")
        return True

    def _looked(self) -> Stamp | None:
        try:
            found = [path.stat() for path in self._files]
        except OSError:
            return None
        return tuple((one.st_ino, one.st_mtime_ns, one.st_size) for one in found)


def _context(cert: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(cert, key, password=_NO_PASSWORD)
    return context


def _why(problem: OSError) -> str:
    return getattr(problem, "reason", "") or problem.strerror or str(problem)
