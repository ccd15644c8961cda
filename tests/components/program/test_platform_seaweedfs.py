from __future__ import annotations

import json
from typing import Any

import look
from platform_samples import run_part, spec_with

from components.platform.stores import seaweedfs
from components.platform.stores.s3_policies import ROOT_USER, identities

CHOSEN = {"platform": {"object_store": "seaweedfs"}}


def values(run: Any) -> Any:
    return look.at(look.one(run, "kubernetes:helm.sh/v3:Release", "seaweedfs"), "values")


def test_every_disk_is_claimed_and_paid_for_and_none_is_a_path_of_the_host() -> None:
    spec = spec_with(**CHOSEN)
    found = values(run_part("seaweedfs", seaweedfs.build, spec))
    assert spec.platform is not None
    part = spec.platform.part("seaweedfs")
    assert part is not None
    disks = [
        found["master"]["data"],
        found["filer"]["data"],
        *found["volume"]["dataDirs"] * found["volume"]["replicas"],
    ]
    assert {each["type"] for each in disks} == {"persistentVolumeClaim"}
    assert sum(int(each["size"].removesuffix("Gi")) for each in disks) == part.disk_gb
    assert "hostPath" not in json.dumps(found)


def test_the_gateway_asks_for_a_login_and_speaks_tls_only_with_our_certificate() -> None:
    run = run_part("seaweedfs", seaweedfs.build, spec_with(**CHOSEN))
    found = values(run)
    assert found["s3"]["enableAuth"]
    assert found["s3"]["existingConfigSecret"] == "seaweedfs-users"
    assert found["s3"]["tlsSecret"] == "seaweedfs-tls"
    assert found["global"]["seaweedfs"]["enableSecurity"]
    certificate = look.one(run, "kubernetes:cert-manager.io/v1:Certificate", "seaweedfs-tls")
    assert look.at(certificate, "spec", "dnsNames", 0) == "s3.object-store.svc.cluster.local"


def test_each_identity_may_use_its_own_bucket_and_only_the_root_user_all_of_them() -> None:
    found = json.loads(identities({ROOT_USER: "root-key", "team-vision": "vision-key", "mlflow": "mlflow-key"}))
    actions = {each["name"]: each["actions"] for each in found["identities"]}
    assert actions[ROOT_USER] == ["Admin"]
    assert {action.partition(":")[2] for action in actions["team-vision"]} == {"team-vision"}
    assert "Admin" not in actions["mlflow"]
    keys = {each["name"]: each["credentials"][0]["secretKey"] for each in found["identities"]}
    assert keys["team-vision"] == "vision-key"
