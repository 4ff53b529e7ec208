#!/bin/sh
# Creates the secrets of an installation with Compose, once: in deploy/.env, or in the named file. In a file of an earlier
# version, it adds the passwords that are missing.
# Keep a copy of the file elsewhere: without SECRET_KEYS, encrypted values cannot be read.
set -eu
file=${1:-$(dirname "$0")/.env}
hex() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
if [ -e "$file" ]; then
  cp -p "$file" "$file.new"
  [ -z "$(tail -c 1 "$file.new")" ] || echo >> "$file.new"
else
  cat > "$file.new" <<END
CI_ADMIN_TOKEN=ci_$(hex)
SECRET_KEYS=first:$(head -c 32 /dev/urandom | base64 | tr -d '\n')
MONGO_KEY=$(hex)
MONGO_ROOT_PASSWORD=m$(hex)
MONGO_PASSWORD=m$(hex)
NATS_PASSWORD=n$(hex)
DOCKER_GID=$(stat -Lc %g "${DOCKER_SOCKET:-/var/run/docker.sock}" 2>/dev/null || echo 0)
END
fi
added=
add() {
  grep -q "^$1=" "$file.new" && return
  echo "$1=$2" >> "$file.new"
  added=1
}
for service in NAMESPACES BUILDS IMAGES WEBHOOKS; do add "MONGO_PASSWORD_$service" "m$(hex)"; done
for service in GATEWAY NAMESPACES BUILDS IMAGES WEBHOOKS RUNNER; do add "NATS_PASSWORD_$service" "n$(hex)"; done
if [ -z "$added" ]; then
  rm "$file.new"
  echo "$file exists already and stays unchanged"
  exit 0
fi
[ -e "$file" ] && done="Added missing passwords to" || done=Created
mv "$file.new" "$file"
echo "$done $file"
