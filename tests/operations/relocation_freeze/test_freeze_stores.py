from __future__ import annotations

import json
import stat
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from freeze_scene import FakeStore, Remembered, Scene
from moto import mock_aws

from components.agents.mover.store.model import BucketEndpoint
from operations.relocation.buckets import canary
from operations.relocation.runner.step import StepError
from operations.relocation.writers import bucket_policy, minio_admin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from operations.relocation.runner.step import Move

THEIRS = {"Sid": "Theirs", "Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}
POLICY = json.dumps({"Version": "2012-10-17", "Id": "kept", "Statement": [THEIRS]})


def test_a_policy_keeps_what_stood_there_and_gives_it_back() -> None:
    frozen = bucket_policy.with_denial(POLICY, "runs", movers=["arn:aws:iam::1:role/mover"])
    assert bucket_policy.denies(frozen)
    assert THEIRS in json.loads(frozen)["Statement"]
    assert bucket_policy.with_denial(frozen, "runs", movers=["arn:aws:iam::1:role/mover"]) == frozen
    rest = bucket_policy.without_denial(frozen)
    assert rest is not None
    assert json.loads(rest) == json.loads(POLICY)


def test_a_policy_of_one_statement_without_a_list_is_read_too() -> None:
    frozen = bucket_policy.with_denial(json.dumps({"Statement": THEIRS}), "runs", movers=[])
    assert THEIRS in json.loads(frozen)["Statement"]
    assert bucket_policy.without_denial(bucket_policy.with_denial(None, "runs", movers=[])) is None


def test_every_way_to_change_an_object_is_denied_in_these_buckets_only() -> None:
    objects, buckets = json.loads(bucket_policy.build_user_policy(["runs", "team-a"]))["Statement"]
    assert {"s3:PutObject*", "s3:DeleteObject*"} <= set(objects["Action"])
    assert objects["Resource"] == ["arn:aws:s3:::runs/*", "arn:aws:s3:::team-a/*"]
    assert buckets["Resource"] == ["arn:aws:s3:::runs", "arn:aws:s3:::team-a"]
    assert not any("Get" in each or "List" in each for each in (*objects["Action"], *buckets["Action"]))


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="mlflow")
        yield client


@pytest.fixture
def move(tmp_path: Path) -> Move:
    return Scene(tmp_path, changes={"source/store/kind": "aws"}).move


def policy(client: Any) -> str | None:
    try:
        return str(client.get_bucket_policy(Bucket="mlflow")["Policy"])
    except client.exceptions.ClientError:
        return None


@pytest.mark.parametrize("before", [None, POLICY], ids=["none", "theirs"])
def test_a_bucket_of_amazon_is_closed_and_opened_exactly_as_it_was(bucket: Any, move: Move, before: str | None) -> None:
    if before:
        bucket.put_bucket_policy(Bucket="mlflow", Policy=before)
    place = move.places.source.store
    for _ in range(2):
        done = bucket_policy.close(place, ["mlflow"], move, side="source")
    found = json.loads(policy(bucket) or "{}")
    assert [each["Sid"] for each in found["Statement"]][-2:] == ["AtollFrozen", "AtollFrozenBuckets"]
    assert done["not_bound"] == found["Statement"][-1]["Condition"]["ArnNotLike"]["aws:PrincipalArn"]
    for _ in range(2):
        bucket_policy.open_again(place, ["mlflow"], move, side="source")
        assert policy(bucket) == before


def test_what_others_wrote_into_the_policy_meanwhile_stays(bucket: Any, move: Move) -> None:
    place = move.places.source.store
    bucket_policy.close(place, ["mlflow"], move, side="source")
    both = json.loads(policy(bucket) or "{}")
    both["Statement"].append(THEIRS)
    bucket.put_bucket_policy(Bucket="mlflow", Policy=json.dumps(both))
    bucket_policy.open_again(place, ["mlflow"], move, side="source")
    assert json.loads(policy(bucket) or "{}")["Statement"] == [THEIRS]


def test_a_bucket_that_was_never_closed_is_not_touched(bucket: Any, move: Move) -> None:
    ours = bucket_policy.with_denial(None, "mlflow", movers=[])
    bucket.put_bucket_policy(Bucket="mlflow", Policy=ours)
    assert bucket_policy.open_again(move.places.source.store, ["mlflow"], move, side="source")["buckets"] == []
    assert policy(bucket) == ours


def test_a_bucket_that_is_not_there_is_said_with_the_rights_that_are_needed(bucket: Any, move: Move) -> None:
    assert bucket
    with pytest.raises(StepError, match="the policy of bucket gone: NoSuchBucket") as caught:
        bucket_policy.close(move.places.source.store, ["gone"], move, side="source")
    assert "s3:PutBucketPolicy" in caught.value.hint


def test_a_profile_of_amazon_that_is_not_there_is_said(move: Move, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    place = move.places.source.store
    for call in (bucket_policy.close, bucket_policy.open_again):
        with pytest.raises(StepError, match=r"AWS cannot be asked from here: .*\(nobody\)") as caught:
            call(place, ["mlflow"], move, side="source")
        assert "AWS_PROFILE" in caught.value.hint


def test_a_role_that_lies_below_a_path_is_not_bound(bucket: Any, move: Move) -> None:
    role = "arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/mover"
    asked = boto3.client("sts", region_name="us-east-1").assume_role(RoleArn=role, RoleSessionName="somebody")
    keys = asked["Credentials"]
    secrets = {"MOVER": keys["AccessKeyId"], "SECRET": keys["SecretAccessKey"], "TOKEN": keys["SessionToken"]}
    store = move.places.source.store
    mover = store.mover.model_copy(update={"session_token_env": "TOKEN"})
    place = store.model_copy(update={"mover": mover, "admin": None})
    done = bucket_policy.close(place, ["mlflow"], replace(move, secrets={**move.secrets, **secrets}), side="source")
    own = "arn:aws:iam::123456789012:role/mover"
    assert done["not_bound"] == [own, own.replace("role/", "role/*/")]
    (condition,) = {json.dumps(each["Condition"]) for each in json.loads(policy(bucket) or "{}")["Statement"]}
    assert json.loads(condition) == {"ArnNotLike": {"aws:PrincipalArn": done["not_bound"]}}
    assert any(fnmatchcase(role, each) for each in done["not_bound"])  # type: ignore[attr-defined]


def test_a_role_is_known_by_itself_and_not_by_its_session() -> None:
    found = bucket_policy.ASSUMED.match("arn:aws:sts::111122223333:assumed-role/mover/session-1")
    assert found is not None
    assert found["role"] == "mover"


def test_what_a_canary_writes_is_removed_where_only_deleting_is_open() -> None:
    place = BucketEndpoint(
        endpoint="https://store.example", region="", bucket="runs", access_key="canary", secret_key="x"
    )
    store = FakeStore(place, {}, [])
    with pytest.raises(StepError, match="a canary write that succeeds"):
        canary.check_writes_refused(store)
    assert store.written == []


MC = """#!/bin/sh
echo "$@" >> {log}
env | grep -c secret-of-admin > {env}
case "$*" in
  *"user ls"*) cat {users} ;;
  *"policy ls"*) echo '{{"policy":"atoll-frozen-source"}}' ;;
esac
"""


@pytest.fixture
def mc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client that writes down what it is told, and knows three users."""
    (tmp_path / "bin").mkdir()
    users = [{"accessKey": name, "policyName": name} for name in ("mlflow", "mover", "loki")]
    (tmp_path / "users").write_text("\n".join(map(json.dumps, users)))
    program = tmp_path / "bin" / "mc"
    program.write_text(MC.format(log=tmp_path / "log", env=tmp_path / "env", users=tmp_path / "users"))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(minio_admin, "BUILT", tmp_path / "bin")
    return tmp_path


def scene_of(tmp_path: Path, secret: str) -> Move:
    move = Scene(tmp_path, memory=Remembered()).move
    return type(move)(
        places=move.places,
        folder=tmp_path,
        secrets={**move.secrets, "ADMIN": "root", "SECRET": secret},
        memory=move.memory,
        say=move.say,
        now=move.now,
    )


def test_keys_of_the_administrator_are_in_no_argument(mc: Path) -> None:
    move = scene_of(mc, "secret-of-admin")
    done = minio_admin.close(move.places.source.store, ["mlflow"], move, side="source")
    told = (mc / "log").read_text()
    assert done["users"] == ["loki", "mlflow"]
    assert "secret-of-admin" not in told
    assert (mc / "env").read_text().strip() == "1"
    assert "policy attach side atoll-frozen-source --user mlflow" in told
    assert "--user mover" not in told


def test_a_key_that_the_client_would_misread_is_refused(mc: Path) -> None:
    move = scene_of(mc, "with:colon")
    with pytest.raises(StepError, match="mc takes no key with a colon"):
        minio_admin.close(move.places.source.store, ["mlflow"], move, side="source")


def test_a_client_that_fails_gives_the_stores_reason(mc: Path) -> None:
    error = {"status": "error", "error": {"message": "no", "cause": {"error": {"Code": "InvalidAccessKeyId"}}}}
    (mc / "bin" / "mc").write_text(f"#!/bin/sh\necho '{json.dumps(error)}'\nexit 1\n")
    move = scene_of(mc, "secret-of-admin")
    with pytest.raises(StepError, match="refuses `mc admin policy create`: InvalidAccessKeyId") as caught:
        minio_admin.close(move.places.source.store, ["mlflow"], move, side="source")
    assert "secret-of-admin" not in str(caught.value)


def test_a_machine_without_the_client_is_told_how_to_get_it(mc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minio_admin, "BUILT", mc / "nowhere")
    monkeypatch.setenv("PATH", str(mc / "nowhere"))
    move = scene_of(mc, "secret-of-admin")
    with pytest.raises(StepError, match="is not on PATH") as caught:
        minio_admin.close(move.places.source.store, ["mlflow"], move, side="source")
    assert "tools/build mc" in caught.value.hint
