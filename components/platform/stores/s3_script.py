"""The script that makes the object store what it should be: buckets, users, rights, lifecycle; run again, it mends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.stores.s3_policies import METRICS_USER, TIER

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIG: Final = "/config"  # the documents of `s3_policies`, and this script
KEYS: Final = "/keys"  # a file for each user, with its secret key
BUCKET_PREFIX: Final = "object-store"
TRIES: Final = 60  # seconds apart by five: a store on new volumes takes minutes at most

# `mc` reads the store's address and the root user from MC_HOST_store.
HEAD: Final = f"""#!/bin/sh
set -eu
tries=0
until mc ls store >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge {TRIES} ]; then
    mc ls store
    exit 1
  fi
  sleep 5
done
"""
BUCKET: Final = """
mc mb --ignore-existing store/{user}
mc version enable store/{user}
mc ilm import store/{user} < {config}/lifecycle-{user}.json
"""
# To attach a right that is there already is an error to `mc`; its image has a shell and coreutils, and no grep.
USER: Final = """
mc admin policy create store {user} {config}/policy-{user}.json
printf '%s\\n%s\\n' {user} "$(cat {keys}/{user})" | mc admin user add store
case "$(mc admin user info store {user} --json)" in
  *'"policyName":"{user}"'*) ;;
  *) mc admin policy attach store {user} --user {user} ;;
esac
"""
TIERED: Final = """
mc ilm tier info store {tier} >/dev/null 2>&1 || mc ilm tier add s3 store {tier} \\
  --endpoint "$TIER_ENDPOINT" --region "$TIER_REGION" --bucket "$TIER_BUCKET" --prefix {prefix}/ --use-aws-role
"""


def script(users: Sequence[str], *, minio: bool, tiered: bool) -> str:
    """The whole script.

    Args:
        users: each gets a bucket of its name.
        minio: whether users are made here too; SeaweedFS reads its users from a file.
        tiered: whether old objects move to the provider's bucket.
    """
    tier = TIERED.format(tier=TIER, prefix=BUCKET_PREFIX) if tiered else ""
    buckets = "".join(BUCKET.format(user=user, config=CONFIG) for user in users)
    people = (*users, METRICS_USER) if minio else ()
    rights = "".join(USER.format(user=user, config=CONFIG, keys=KEYS) for user in people)
    return HEAD + tier + buckets + rights
