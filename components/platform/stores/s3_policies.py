"""Rights, lifecycle and metrics token of the object store's users, in the documents that its engines read."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Final

from components.context.buckets import OLD_VERSION_DAYS
from components.platform.building_blocks.names import STORE_USERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.platform import TeamShare


METRICS_USER: Final = "metrics"
ROOT_USER: Final = "atoll"
TIER: Final = "PROVIDER"  # name of the remote tier; MinIO takes capitals only
TIER_AFTER_DAYS: Final = 30
# Parts that thin out their own objects: old logs and traces are read again, so they stay near.
OWN_RETENTION: Final = frozenset({"loki", "tempo"})
POLICY_VERSION: Final = "2012-10-17"  # of the policy language
BUCKET_ACTIONS: Final = (
    "s3:GetBucketLocation",
    "s3:GetBucketVersioning",
    "s3:ListBucket",
    "s3:ListBucketMultipartUploads",
    "s3:ListBucketVersions",
)
OBJECT_ACTIONS: Final = (
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:DeleteObjectTagging",
    "s3:GetObject",
    "s3:GetObjectTagging",
    "s3:GetObjectVersion",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
    "s3:PutObjectTagging",
)
# What a user deletes comes back until the lifecycle takes it. MinIO lets whoever may delete an object delete a version
# too, unless that is refused by name.
REFUSED_ACTIONS: Final = ("s3:DeleteObjectVersion",)
SEAWEED_ACTIONS: Final = ("Read", "Write", "List", "Tagging")
NEVER: Final = 4_102_444_800  # 2100-01-01, in seconds: the metrics token ends with the secret that it is signed by


def team_user(team: str) -> str:
    """Name of a team's user, which is also that of its bucket."""
    return f"team-{team}"


def store_users(teams: Sequence[TeamShare]) -> tuple[str, ...]:
    """Everybody who has a bucket: the parts, then the teams."""
    return (*STORE_USERS, *(team_user(team.name) for team in teams))


def own_bucket_policy(user: str) -> dict[str, object]:
    """A user's rights: its own bucket, and nothing else."""
    bucket = f"arn:aws:s3:::{user}"
    return {
        "Version": POLICY_VERSION,
        "Statement": [
            {"Effect": "Allow", "Action": list(BUCKET_ACTIONS), "Resource": [bucket]},
            {"Effect": "Allow", "Action": list(OBJECT_ACTIONS), "Resource": [f"{bucket}/*"]},
            {"Effect": "Deny", "Action": list(REFUSED_ACTIONS), "Resource": [f"{bucket}/*"]},
        ],
    }


def metrics_policy() -> dict[str, object]:
    """Rights of the user that Prometheus reads metrics as: no object, no listing."""
    return {"Version": POLICY_VERSION, "Statement": [{"Effect": "Allow", "Action": ["admin:Prometheus"]}]}


def lifecycle(user: str, *, tiered: bool) -> dict[str, object]:
    """Rules for old objects: replaced and deleted ones go after a month; of users with a tier the others move on."""
    # Uploads that were never finished are no rule here: MinIO knows none, and its server cleans them up by itself.
    rules: list[dict[str, object]] = [
        {
            "ID": "old-versions",
            "Status": "Enabled",
            "Filter": {"Prefix": ""},
            "NoncurrentVersionExpiration": {"NoncurrentDays": OLD_VERSION_DAYS},
            "Expiration": {"ExpiredObjectDeleteMarker": True},
        }
    ]
    if tiered and user not in OWN_RETENTION:
        rules.append(
            {
                "ID": "to-the-provider",
                "Status": "Enabled",
                "Filter": {"Prefix": ""},
                "Transition": {"Days": TIER_AFTER_DAYS, "StorageClass": TIER},
            }
        )
    return {"Rules": rules}


def documents(users: Sequence[str], *, tiered: bool) -> dict[str, str]:
    """File name to JSON: a policy and a lifecycle for each user, and the policy of metrics."""
    return {
        **{f"policy-{user}.json": json.dumps(own_bucket_policy(user)) for user in users},
        **{f"lifecycle-{user}.json": json.dumps(lifecycle(user, tiered=tiered)) for user in users},
        f"policy-{METRICS_USER}.json": json.dumps(metrics_policy()),
    }


def identities(keys: Mapping[str, str]) -> str:
    """SeaweedFS's file of users, as JSON.

    Args:
        keys: user to secret key; the root user's is that of the administrator.
    """
    return json.dumps({"identities": [_identity(user, key) for user, key in keys.items()]})


def _identity(user: str, key: str) -> dict[str, object]:
    actions = ["Admin"] if user == ROOT_USER else [f"{action}:{user}" for action in SEAWEED_ACTIONS]
    return {"name": user, "credentials": [{"accessKey": user, "secretKey": key}], "actions": actions}


def metrics_token(key: str) -> str:
    """Bearer token of the metrics user, as `mc admin prometheus generate` makes it: a JWT signed with its secret key.

    Args:
        key: the user's secret key.
    """
    claims = {"exp": NEVER, "iss": "prometheus", "sub": METRICS_USER}
    head = f"{_part({'alg': 'HS512', 'typ': 'JWT'})}.{_part(claims)}"
    signature = hmac.new(key.encode(), head.encode(), hashlib.sha512).digest()
    return f"{head}.{_encode_base64url(signature)}"


def _part(content: Mapping[str, object]) -> str:
    return _encode_base64url(json.dumps(content, separators=(",", ":")).encode())


def _encode_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


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
