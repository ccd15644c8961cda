#!/bin/sh
# Jobs one after the other, each in the queue by itself: nothing is held while a step waits for the one before it.
# The files are Jobs; the first that fails ends the sequence.
set -eu
namespace=$1
shift
for file in "$@"; do
    job=$(kubectl create -n "$namespace" -f "$file" -o name)
    echo "$job waits in the queue"
    until kubectl wait -n "$namespace" --for=condition=complete --timeout=10s "$job" >/dev/null 2>&1; do
        if kubectl wait -n "$namespace" --for=condition=failed --timeout=0s "$job" >/dev/null 2>&1; then
            echo "$job failed" >&2
            exit 1
        fi
    done
    echo "$job is complete"
done
