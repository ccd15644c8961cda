"""A real MinIO, of as many nodes as the platform gives it, set up by the script and the documents that we generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests
from botocore.exceptions import ClientError
from store_server import ERASURE, StoreServer

from components.context.buckets import OLD_VERSION_DAYS
from components.platform.stores.s3_policies import METRICS_USER, metrics_token

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]


def refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except ClientError as error:
        return error.response.get("Error", {}).get("Code") == "AccessDenied"
    return False


def test_a_team_writes_and_reads_its_own_bucket(store: StoreServer) -> None:
    mine = store.client("team-vision")
    mine.put_object(Bucket="team-vision", Key="model/weights", Body=b"weights")
    assert mine.get_object(Bucket="team-vision", Key="model/weights")["Body"].read() == b"weights"


def test_a_team_cannot_read_write_or_list_the_bucket_of_another(store: StoreServer) -> None:
    store.client("team-speech").put_object(Bucket="team-speech", Key="secret", Body=b"theirs")
    vision = store.client("team-vision")
    assert refused(lambda: vision.get_object(Bucket="team-speech", Key="secret"))
    assert refused(lambda: vision.put_object(Bucket="team-speech", Key="mine", Body=b"mine"))
    assert refused(lambda: vision.list_objects_v2(Bucket="team-speech"))
    assert refused(lambda: vision.get_object(Bucket="mlflow", Key="1/run/artifacts/model"))


def test_a_team_sees_no_bucket_but_its_own_and_makes_none(store: StoreServer) -> None:
    vision = store.client("team-vision")
    assert [each["Name"] for each in vision.list_buckets()["Buckets"]] == ["team-vision"]
    assert refused(lambda: vision.create_bucket(Bucket="another"))


def test_what_a_team_deletes_or_overwrites_comes_back(store: StoreServer) -> None:
    mine = store.client("team-vision")
    first = mine.put_object(Bucket="team-vision", Key="run", Body=b"first")["VersionId"]
    mine.put_object(Bucket="team-vision", Key="run", Body=b"second")
    mine.delete_object(Bucket="team-vision", Key="run")
    assert mine.get_object(Bucket="team-vision", Key="run", VersionId=first)["Body"].read() == b"first"
    assert refused(lambda: mine.delete_object(Bucket="team-vision", Key="run", VersionId=first))


def test_the_lifecycle_is_taken_as_it_was_written(store: StoreServer) -> None:
    root = store.client("atoll")
    for user in store.users:
        (rule,) = root.get_bucket_lifecycle_configuration(Bucket=user)["Rules"]
        assert rule["NoncurrentVersionExpiration"]["NoncurrentDays"] == OLD_VERSION_DAYS
        assert rule["Status"] == "Enabled"


def test_the_setup_runs_again_without_a_word_of_failure(store: StoreServer) -> None:
    store.set_up()
    mine = store.client("team-vision")
    mine.put_object(Bucket="team-vision", Key="after", Body=b"still mine")


def test_metrics_are_read_with_the_token_and_by_nobody_without_it(store: StoreServer) -> None:
    address = f"{store.endpoint}/minio/v2/metrics/cluster"
    assert requests.get(address, verify=str(store.authority), timeout=60).status_code == requests.codes.forbidden
    bearer = {"Authorization": f"Bearer {metrics_token(store.key(METRICS_USER))}"}
    answer = requests.get(address, headers=bearer, verify=str(store.authority), timeout=60)
    assert answer.ok, answer.text
    assert "minio_cluster_nodes_online_total" in answer.text


def test_the_user_of_metrics_reaches_no_object(store: StoreServer) -> None:
    assert refused(lambda: store.client(METRICS_USER).list_objects_v2(Bucket="mlflow"))


def test_one_node_may_be_away(store: StoreServer) -> None:
    assert ERASURE.survives
    mine = store.client("team-vision")
    mine.put_object(Bucket="team-vision", Key="before", Body=b"before")
    with store.without_node():
        assert mine.get_object(Bucket="team-vision", Key="before")["Body"].read() == b"before"
        mine.put_object(Bucket="team-vision", Key="meanwhile", Body=b"meanwhile")
        assert mine.get_object(Bucket="team-vision", Key="meanwhile")["Body"].read() == b"meanwhile"
