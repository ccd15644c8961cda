"""Refuses writes into buckets of Amazon S3 by a statement in the bucket's policy, which binds every principal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, cast

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from operations.relocation.runner.step import Move, StepError
from planning.values.json_format import to_mapping, to_mappings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sts import STSClient

    from operations.relocation.config.endpoints import Keys, StorePlace


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
    """Policy for users of MinIO that denies every change in these buckets."""
    return json.dumps({"Version": VERSION, "Statement": _denials(buckets)})


def with_denial(document: str | None, bucket: str, *, movers: Sequence[str]) -> str:
    """A bucket's policy with our statement added.

    Args:
        document: as it is; None where the bucket has none.
        movers: ARNs of whom it does not bind; a star stands for any characters.
    """
    found = parse_policy(document)
    kept = _statements(found, ours=False)
    added = [{**each, "Principal": "*", **_except(movers)} for each in _denials([bucket])]
    return json.dumps({**found, "Version": found.get("Version", VERSION), "Statement": [*kept, *added]})


def without_denial(document: str | None) -> str | None:
    """A bucket's policy without our statement; None if nothing is left."""
    found = parse_policy(document)
    kept = _statements(found, ours=False)
    return json.dumps({**found, "Statement": kept}) if kept else None


def denies(document: str | None) -> bool:
    return bool(_statements(parse_policy(document), ours=True))


def parse_policy(document: str | None) -> Mapping[str, object]:
    """Parse a policy; an empty one for no text."""
    return to_mapping(cast("object", json.loads(document))) if document else {}


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
    every = to_mappings(found) or [to_mapping(found)]  # a single statement may stand without its list
    return [each for each in every if each and str(each.get("Sid", "")).startswith(SID) is ours]


CONFIG: Final = Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 3, "mode": "standard"})
REFUSED: Final = (BotoCoreError, ClientError)
NONE: Final = "NoSuchBucketPolicy"
# A session of a role calls by arn:aws:sts::ACCOUNT:assumed-role/ROLE/SESSION, and aws:PrincipalArn is the role's, with
# its path, which the session does not name (IAM user guide, "AWS global condition context keys" and "IAM identifiers").
ASSUMED: Final = re.compile(r"^arn:(?P<part>[^:]+):sts::(?P<account>\d+):assumed-role/(?P<role>[^/]+)/.+$")
ALWAYS: Final = "us-east-1"


def close(place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
    """Add our statement to each bucket's policy; the result as JSON."""
    movers = _principals(place, move)
    store = _s3(place, move)
    for bucket in buckets:
        there = _policy(store, bucket)
        move.memory.remember(_key(side, bucket), {"policy": there})
        if not denies(there):
            _write(store, bucket, with_denial(there, bucket, movers=movers))
    return {"kind": place.kind, "statement": SID, "buckets": list(buckets), "not_bound": movers}


def open_again(place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> dict[str, object]:
    """Remove our statement where the freeze added it; other changes stay."""
    store = _s3(place, move)
    done: list[str] = []
    for bucket in buckets:
        kept = to_mapping(move.memory.recall(_key(side, bucket)))
        before = cast("str | None", kept.get("policy"))
        there = _policy(store, bucket)
        # A statement that was there before the freeze is not ours to remove.
        if not kept or denies(before) or not denies(there):
            continue
        rest = without_denial(there)
        same = parse_policy(rest) == parse_policy(before)
        # Byte by byte as it was, unless somebody changed it meanwhile.
        _write(store, bucket, before if same else rest)
        done.append(bucket)
    return {"kind": place.kind, "buckets": done}


def _policy(store: S3Client, bucket: str) -> str | None:
    try:
        return store.get_bucket_policy(Bucket=bucket)["Policy"]
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == NONE:
            return None
        raise _build_policy_error(bucket, error) from error
    except BotoCoreError as error:
        raise _build_policy_error(bucket, error) from error


def _write(store: S3Client, bucket: str, document: str | None) -> None:
    try:
        if document is None:
            store.delete_bucket_policy(Bucket=bucket)
        else:
            store.put_bucket_policy(Bucket=bucket, Policy=document)
    except REFUSED as error:
        raise _build_policy_error(bucket, error) from error


def _build_policy_error(bucket: str, error: BotoCoreError | ClientError) -> StepError:
    words = type(error).__name__
    if isinstance(error, ClientError):
        words = str(error.response.get("Error", {}).get("Code", "no reason given"))
    return StepError(
        f"the policy of bucket {bucket}: {words}",
        hint="the store's `admin` in relocation.yaml, or its mover, needs s3:GetBucketPolicy, s3:PutBucketPolicy and "
        "s3:DeleteBucketPolicy",
    )


def _principals(place: StorePlace, move: Move) -> list[str]:
    """ARNs of the copy worker, which the statement exempts."""
    try:
        arn = cast("STSClient", _client("sts", place, place.mover, move)).get_caller_identity()["Arn"]
    except REFUSED as error:
        raise StepError(
            f"the copy worker's identity is unknown: {type(error).__name__}", hint="check the keys of `mover`"
        ) from error
    found = ASSUMED.match(arn)
    if found is None:
        return [arn]
    # An assumed role's ARN has no path; role names are unique in an account, so both forms mean this one.
    roles = f"arn:{found['part']}:iam::{found['account']}:role"
    return [f"{roles}/{found['role']}", f"{roles}/*/{found['role']}"]


def _s3(place: StorePlace, move: Move) -> S3Client:
    return cast("S3Client", _client("s3", place, place.admin or place.mover, move))


def _client(service: str, place: StorePlace, keys: Keys, move: Move) -> object:
    """A client by a pair of keys.

    Raises:
        StepError: the user's own configuration of AWS, which a session reads too, cannot be used.
    """
    try:
        make = cast("Callable[..., object]", boto3.Session().client)  # pyright: ignore[reportUnknownMemberType]
        return _make_client(make, service, place, keys, move)
    except BotoCoreError as error:
        hint = "look at AWS_PROFILE and at ~/.aws, and at the store's `region` in relocation.yaml"
        raise StepError(f"AWS cannot be asked from here: {error}", hint=hint) from error


def _make_client(make: Callable[..., object], service: str, place: StorePlace, keys: Keys, move: Move) -> object:
    token = move.secrets.get(keys.session_token_env, "") if keys.session_token_env else ""
    return make(
        service,
        region_name=place.region or ALWAYS,
        aws_access_key_id=move.secrets.get(keys.access_key_env, ""),
        aws_secret_access_key=move.secrets.get(keys.secret_key_env, ""),
        aws_session_token=token or None,
        verify=place.authority or None,
        config=CONFIG,
    )


def _key(side: str, bucket: str) -> str:
    return f"freeze/{side}/store/bucket/{bucket}"
