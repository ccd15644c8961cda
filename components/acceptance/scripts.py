"""The few lines of shell of the pods. None of them holds a word of a user: what differs comes as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

# What DCGM's own image can say of the node, kept for the container that has Python; a test that fails is no failure of
# the container, for its report says which. `nv-hostengine` puts itself in the background.
DCGM: Final = """#!/bin/sh
set -u
dcgmi --version >"$1/version" 2>&1
nv-hostengine --bind-interface 127.0.0.1 >"$1/diag.err" 2>&1 || {
    : >"$1/diag.json"
    echo 3 >"$1/status"
    exit 0
}
dcgmi diag --run "$2" --json >"$1/diag.json" 2>"$1/diag.err"
echo $? >"$1/status"
"""
# Stands for `dcgmi` where it cannot be run: gives back what it said in DCGM's own image, and how it ended.
DCGMI: Final = """#!/bin/sh
for word in "$@"; do
    case "$word" in
    diag)
        cat /results/diag.json
        cat /results/diag.err >&2
        exit "$(cat /results/status)"
        ;;
    esac
done
cat /results/version
"""
# Copies a program with its libraries and its loader, so that it runs in an image that has another C library, or none
# of them; `$1` is the program, `$2` the folder.
CARRY: Final = """#!/bin/sh
set -eu
mkdir -p "$2/bin" "$2/lib"
found=$(command -v "$1")
cp -L "$found" "$2/lib/$1.real"
ldd "$found" | tr -s '[:blank:]' '\\n' | grep '^/' | sort -u | while read -r library; do
    cp -L "$library" "$2/lib/"
done
loader=$(cd "$2/lib" && ls | grep '^ld-' | head -n 1)
printf '#!/bin/sh\\nexec "%s/lib/%s" --library-path "%s/lib" "%s/lib/%s.real" "$@"\\n' \\
    "$2" "$loader" "$2" "$2" "$1" >"$2/bin/$1"
chmod 0755 "$2/bin/$1" "$2/lib/$loader"
"""
# Keys of the run, readable by root alone as `ssh` wants them; then what was asked for.
KEYED: Final = """#!/bin/sh
set -eu
install -d -m 0700 /root/.ssh
for key in /keys/*; do install -m 0600 "$key" "/root/.ssh/$(basename "$key")"; done
mkdir -p /run/sshd
exec "$@"
"""
# A model that adds up what it is given, as KServe's first protocol asks for it.
MODEL: Final = """import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class Model(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({"name": "model", "ready": True})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"predictions": [sum(row) for row in asked["instances"]]})

    def answer(self, body):
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


HTTPServer(("", int(sys.argv[1])), Model).serve_forever()
"""
SCRIPTS: Final[Mapping[str, str]] = {
    "dcgm.sh": DCGM,
    "dcgmi": DCGMI,
    "carry.sh": CARRY,
    "keyed.sh": KEYED,
    "model.py": MODEL,
}
