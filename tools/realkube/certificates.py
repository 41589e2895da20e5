"""The control plane's own certificates and keys, made anew for each start with `openssl`.

One authority signs everything: the API server's certificate, and one for each client. In a client's
certificate the common name is the user and the organisation its group. The private keys never
leave the folder, which only its owner may read.
"""

import shutil
import subprocess
from pathlib import Path

import msgspec

ADMIN = "admin"
CONTROLLERS = "controllers"
KUBELETS = "kubelets"
"""As whom the API server comes to the doors of kubelets."""
CLIENTS = {
    ADMIN: "/O=system:masters/CN=admin",
    CONTROLLERS: "/CN=system:kube-controller-manager",
    KUBELETS: "/CN=kube-apiserver-kubelet-client",
}
DAYS = "30"
SETTINGS = """\
[req]
distinguished_name = subject
prompt = no
[subject]
CN = heliograph-realkube
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
authorityKeyIdentifier = keyid
subjectAltName = IP:127.0.0.1, DNS:localhost, DNS:kubernetes, DNS:kubernetes.default.svc
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
authorityKeyIdentifier = keyid
"""


class CertificatesFailedError(RuntimeError):
    """`openssl` is missing or refused."""


class Certificates(msgspec.Struct, frozen=True, kw_only=True):
    """Where they are."""

    folder: Path

    @property
    def authority(self) -> str:
        """The certificate that vouches for all others."""
        return str(self.folder / "authority.crt")

    @property
    def service_accounts(self) -> str:
        """The key that signs the tokens of service accounts."""
        return str(self.folder / "service-accounts.key")

    def certificate(self, name: str) -> str:
        """Return the path of one certificate."""
        return str(self.folder / f"{name}.crt")

    def key(self, name: str) -> str:
        """Return the path of one private key."""
        return str(self.folder / f"{name}.key")


def make_certificates(folder: Path) -> Certificates:
    """Make everything in a folder of its own."""
    folder.mkdir(mode=0o700)
    (folder / "settings").write_text(SETTINGS, encoding="utf-8")
    made = Certificates(folder=folder)
    _key(folder, "authority")
    as_authority = ("-x509", "-extensions", "authority", "-days", DAYS)
    _openssl(folder, "req", "-new", *as_authority, *_request("authority"), "-out", "authority.crt")
    _sign(folder, "server", "/CN=kube-apiserver", "server")
    for name, subject in CLIENTS.items():
        _sign(folder, name, subject, "client")
    _key(folder, "service-accounts")
    return made


def _sign(folder: Path, name: str, subject: str, purpose: str) -> None:
    _key(folder, name)
    asked = ("-subj", subject, "-out", f"{name}.csr")
    _openssl(folder, "req", "-new", *_request(name), *asked)
    _openssl(
        folder,
        *("x509", "-req", "-sha256", "-days", DAYS, "-in", f"{name}.csr", "-out", f"{name}.crt"),
        *("-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial"),
        *("-extfile", "settings", "-extensions", purpose),
    )


def _request(name: str) -> tuple[str, ...]:
    return ("-config", "settings", "-sha256", "-key", f"{name}.key")


def _key(folder: Path, name: str) -> None:
    _openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")


def _openssl(folder: Path, *arguments: str) -> None:
    program = shutil.which("openssl")
    if program is None:
        raise CertificatesFailedError("no openssl on the path: it makes the certificates")
    done = subprocess.run(
        (program, *arguments), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise CertificatesFailedError(f"openssl {arguments[0]} failed:\n{done.stderr}")
