#!/bin/sh
set -eu
install -d -m 0700 /root/.ssh
for key in /keys/*; do install -m 0600 "$key" "/root/.ssh/$(basename "$key")"; done
mkdir -p /run/sshd
exec "$@"
