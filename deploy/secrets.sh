#!/bin/sh
# Creates the secrets of an installation with Compose: in deploy/.env, or in the named file. If the file exists, it adds
# those that are missing.
# Keep a copy of the file elsewhere: without SECRET_KEYS, encrypted values cannot be read.
set -eu
file=${1:-$(dirname "$0")/.env}
hex() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
if [ -e "$file" ]; then
  cp -p "$file" "$file.new"
  chmod 600 "$file.new"
  [ -z "$(tail -c 1 "$file.new")" ] || echo >> "$file.new"
else
  : > "$file.new"
fi
value="[^[:space:]\"']|\"[^\"]|'[^']"
added=
add() {
  grep -Eq "^[[:space:]]*(export[[:space:]]+)?$1[[:space:]]*[=:][[:space:]]*($value)" "$file.new" && return
  echo "$1=$2" >> "$file.new"
  added="$added $1"
}
add CI_ADMIN_TOKEN "ci_$(hex)"
add SECRET_KEYS "first:$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
add MONGO_KEY "$(hex)"
add MONGO_ROOT_PASSWORD "m$(hex)"
add MONGO_PASSWORD "m$(hex)"
add NATS_PASSWORD "n$(hex)"
socket=${DOCKER_SOCKET:-$(sed -n 's/^DOCKER_SOCKET=//p' "$file.new" | tail -n 1)}
add DOCKER_GID "$(stat -Lc %g "${socket:-/var/run/docker.sock}" 2>/dev/null || echo 0)"
for service in NAMESPACES BUILDS IMAGES WEBHOOKS; do add "MONGO_PASSWORD_$service" "m$(hex)"; done
for service in GATEWAY NAMESPACES BUILDS IMAGES WEBHOOKS RUNNER; do add "NATS_PASSWORD_$service" "n$(hex)"; done
if [ -z "$added" ]; then
  rm "$file.new"
  chmod 600 "$file"
  echo "$file has all secrets already. Only its owner can read it."
  exit 0
fi
[ -e "$file" ] && done="Completed $file with" || done="Created $file with"
mv "$file.new" "$file"
echo "$done$added. Only its owner can read it."
