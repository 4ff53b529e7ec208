#!/bin/sh
# Creates the secrets of an installation with Compose, once: in deploy/.env, or in the named file.
# Keep a copy of the file elsewhere: without SECRET_KEYS, encrypted values cannot be read.
set -eu
file=${1:-$(dirname "$0")/.env}
if [ -e "$file" ]; then
  echo "$file exists already and stays unchanged"
  exit 0
fi
hex() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
umask 077
cat > "$file.new" <<END
CI_ADMIN_TOKEN=ci_$(hex)
SECRET_KEYS=first:$(head -c 32 /dev/urandom | base64 | tr -d '\n')
MONGO_KEY=$(hex)
MONGO_ROOT_PASSWORD=m$(hex)
MONGO_PASSWORD=m$(hex)
NATS_PASSWORD=n$(hex)
DOCKER_GID=$(stat -Lc %g "${DOCKER_SOCKET:-/var/run/docker.sock}" 2>/dev/null || echo 0)
END
mv "$file.new" "$file"
echo "Created $file"
