#!/bin/sh
# Makes the file with the secrets of one installation by Compose, once: deploy/.env, or the file that is named.
# Keep a copy of it elsewhere: without SECRET_KEYS nothing that is encrypted can be read again.
set -eu
file=${1:-$(dirname "$0")/.env}
if [ -e "$file" ]; then
  echo "$file is there already and stays as it is"
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
echo "Made $file"
