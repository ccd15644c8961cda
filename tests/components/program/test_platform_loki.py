from __future__ import annotations

from typing import Any

import pytest
from look import at, of_type, one
from platform_samples import BUCKET, run_part, spec_with

from components.context.placement import PlatformBucket
from components.platform.observability import log_and_trace_stores as stores
from operations.offline.program import OfflineRun
from planning.costs.resources.resource import Secret

RELEASE = "kubernetes:helm.sh/v3:Release"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
PARTS = {"loki": stores.build_loki, "tempo": stores.build_tempo}
GOOGLE = PlatformBucket(name="atoll-sample", endpoint="https://storage.googleapis.com", region="us", scheme="gs")


def inside(part: str) -> OfflineRun:
    return run_part(part, PARTS[part], spec_with(platform={"size": "full"}))


def outside(part: str, bucket: PlatformBucket) -> OfflineRun:
    spec = spec_with(platform={"size": "full", "object_store": "provider"})
    return run_part(part, PARTS[part], spec, bucket=bucket)


def told(run: OfflineRun, part: str, *path: str | int) -> Any:
    return at(one(run, RELEASE, part), "values", *path)


def test_logs_lie_in_the_store_under_its_own_user() -> None:
    run = inside("loki")
    storage = told(run, "loki", "loki", "storage")
    assert storage["object_store"]["s3"] == {
        "endpoint": "s3.object-store.svc.cluster.local:9000",
        "region": "us-east-1",
        "bucket_lookup_type": "path",
        "access_key_id": "${S3_ACCESS_KEY}",
        "secret_access_key": "${S3_SECRET_KEY}",
    }
    assert storage["bucketNames"]["chunks"] == "loki"
    assert isinstance(at(one(run, "kubernetes:core/v1:Secret", "loki-store"), "stringData"), Secret)


@pytest.mark.parametrize("part", PARTS)
def test_no_key_is_in_the_values(part: str) -> None:
    assert "$" in str(told(inside(part), part))
    for run in (inside(part), outside(part, BUCKET)):
        assert "secret_key': 's3" not in str(told(run, part))


@pytest.mark.parametrize(("part", "below"), [("loki", "singleBinary"), ("tempo", "tempo")])
def test_the_stores_authority_is_trusted(part: str, below: str) -> None:
    process = told(inside(part), part, below)
    assert {"name": "SSL_CERT_FILE", "value": "/etc/s3-ca/ca.crt"} in process["extraEnv"]
    assert process["extraVolumeMounts"][0]["mountPath"] == "/etc/s3-ca"
    assert outside(part, BUCKET) is not None
    assert told(outside(part, BUCKET), part, below)["extraEnv"] == []


def test_at_the_provider_the_prefix_keeps_users_apart() -> None:
    assert told(outside("loki", BUCKET), "loki", "loki", "storage", "object_store", "storage_prefix") == "loki"
    assert told(outside("tempo", BUCKET), "tempo", "tempo", "storage", "trace", "s3", "prefix") == "tempo"
    assert not [each for each in outside("loki", BUCKET).resources if each.type == "kubernetes:core/v1:Secret"]


def test_google_is_spoken_to_in_its_own_words() -> None:
    run = outside("loki", GOOGLE)
    assert told(run, "loki", "loki", "schemaConfig", "configs", 0, "object_store") == "gcs"
    assert told(run, "loki", "loki", "compactor", "delete_request_store") == "gcs"
    trace = told(outside("tempo", GOOGLE), "tempo", "tempo", "storage", "trace")
    assert (trace["backend"], trace["gcs"]) == ("gcs", {"bucket_name": "atoll-sample", "prefix": "tempo"})


def test_loki_is_one_process_without_a_door_or_caches() -> None:
    values = told(inside("loki"), "loki")
    assert values["deploymentMode"] == "Monolithic"
    assert values["singleBinary"]["replicas"] == 1
    assert [values[each]["replicas"] for each in ("read", "write", "backend")] == [0, 0, 0]
    for each in ("gateway", "chunksCache", "resultsCache", "lokiCanary", "test"):
        assert values[each] == {"enabled": False}


def test_what_is_old_is_deleted() -> None:
    values = told(inside("loki"), "loki", "loki")
    assert values["limits_config"]["retention_period"] == "720h"
    assert values["compactor"]["retention_enabled"] is True
    assert told(inside("tempo"), "tempo", "tempo", "retention") == "336h"


@pytest.mark.parametrize("part", PARTS)
def test_only_its_own_pods_reach_the_store(part: str) -> None:
    ways = [each for each in of_type(inside(part), POLICY) if each.name.endswith("-out")]
    (way,) = ways
    assert at(way, "spec", "podSelector", "matchLabels") == {"app.kubernetes.io/name": part}
