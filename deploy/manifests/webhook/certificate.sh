#!/bin/sh
# Make the certificate that the webhook shows, and the authority that signs it, with openssl alone.
#
#   sh certificate.sh [FOLDER [SUBJECT_ALT_NAME ...]]
#
# Writes ca.crt, ca.key, tls.crt and tls.key. Run it again before a year is over: the authority is
# used again, so the API server trusts the new certificate before and after the change. Keep ca.key
# to yourself; it is not deployed.
set -eu
umask 077

folder=${1:-$(dirname "$0")/certificate}
[ $# -gt 0 ] && shift
names=DNS:heliograph-webhook.heliograph.svc
for name in "$@"; do
  names=$names,$name
done

mkdir -p "$folder"
cd "$folder"

new_key() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1"
}

cat > openssl.cnf <<SETTINGS
[req]
distinguished_name = subject
prompt = no
[subject]
CN = heliograph-webhook
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = $names
SETTINGS

if [ ! -f ca.key ]; then
  new_key ca.key
  openssl req -x509 -new -sha256 -days 3650 -config openssl.cnf -extensions authority \
    -subj /CN=heliograph-webhook-authority -key ca.key -out ca.crt
fi
new_key tls.key.new
openssl req -new -sha256 -config openssl.cnf -key tls.key.new -out tls.csr
openssl x509 -req -sha256 -days 365 -in tls.csr -out tls.crt.new -CA ca.crt -CAkey ca.key \
  -CAcreateserial -extfile openssl.cnf -extensions server 2> sign.log || {
  cat sign.log >&2
  exit 1
}
mv tls.key.new tls.key
mv tls.crt.new tls.crt
rm -f openssl.cnf tls.csr sign.log
echo "$folder: certificate for $names"
