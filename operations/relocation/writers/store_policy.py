"""What refuses writes at an object store: a policy of MinIO's users, or a statement in a bucket's policy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from operations.clouds.kubernetes.objects import mapping, rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME: Final = "atoll-frozen"  # of the policy that is attached to MinIO's users
SID: Final = "AtollFrozen"
VERSION: Final = "2012-10-17"  # of the policy language
# What changes an object or a bucket. MinIO takes wildcards (minio/pkg v3.1.3, policy/action.go); those of AWS are its
# service authorization reference of Amazon S3. An upload that is under way ends by PutObject, which is refused.
DENIED: Final = (
    "s3:PutObject*",
    "s3:DeleteObject*",
    "s3:ReplicateObject",
    "s3:ReplicateDelete",
    "s3:RestoreObject",
    "s3:BypassGovernanceRetention",
)
DENIED_OF_BUCKET: Final = ("s3:DeleteBucket", "s3:PutBucketVersioning", "s3:PutLifecycleConfiguration")


def build_user_policy(buckets: Sequence[str]) -> str:
    """Policy for users of MinIO: they read on, and change nothing in these buckets."""
    return json.dumps({"Version": VERSION, "Statement": _denials(buckets)})


def with_denial(document: str | None, bucket: str, *, movers: Sequence[str]) -> str:
    """A bucket's policy with ours added, whatever stood there kept.

    Args:
        document: as it is; None where the bucket has none.
        movers: ARNs of whom it does not bind; a star stands for any characters.
    """
    found = parse_policy(document)
    kept = _statements(found, ours=False)
    added = [{**each, "Principal": "*", **_except(movers)} for each in _denials([bucket])]
    return json.dumps({**found, "Version": found.get("Version", VERSION), "Statement": [*kept, *added]})


def without_denial(document: str | None) -> str | None:
    """A bucket's policy without ours; None where nothing else stands there."""
    found = parse_policy(document)
    kept = _statements(found, ours=False)
    return json.dumps({**found, "Statement": kept}) if kept else None


def denies(document: str | None) -> bool:
    """Whether ours stands there."""
    return bool(_statements(parse_policy(document), ours=True))


def parse_policy(document: str | None) -> Mapping[str, object]:
    """A policy from its text; an empty one for none."""
    return mapping(cast("object", json.loads(document))) if document else {}


def _denials(buckets: Sequence[str]) -> list[dict[str, object]]:
    of_objects = [f"arn:aws:s3:::{bucket}/*" for bucket in buckets]
    of_buckets = [f"arn:aws:s3:::{bucket}" for bucket in buckets]
    return [
        {"Sid": SID, "Effect": "Deny", "Action": list(DENIED), "Resource": of_objects},
        {"Sid": f"{SID}Buckets", "Effect": "Deny", "Action": list(DENIED_OF_BUCKET), "Resource": of_buckets},
    ]


def _except(movers: Sequence[str]) -> dict[str, object]:
    return {"Condition": {"ArnNotLike": {"aws:PrincipalArn": list(movers)}}} if movers else {}


def _statements(document: Mapping[str, object], *, ours: bool) -> list[Mapping[str, object]]:
    found = document.get("Statement")
    every = rows(found) or [mapping(found)]  # a single statement may stand without its list
    return [each for each in every if each and str(each.get("Sid", "")).startswith(SID) is ours]
