#!/bin/sh
set -u
dcgmi --version >"$1/version" 2>&1
nv-hostengine --bind-interface 127.0.0.1 >"$1/diag.err" 2>&1 || {
    : >"$1/diag.json"
    echo 3 >"$1/status"
    exit 0
}
dcgmi diag --run "$2" --json >"$1/diag.json" 2>"$1/diag.err"
echo $? >"$1/status"
