"""The ways in and out of a cluster that exists, taken by a real API server: VPN, SSH, rights, the tunnel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml
from existing_plan import EXAMPLE, ROOT, atoll, copy_project, manifests

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Applied
    from kube_client import KubeClient, Manifest

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"])]

STACK = "ways"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleKeyOfWren00000000000000000000000 wren"
MAIN = {"provider": "aws", "region": "us-east-1", "vpc_id": "vpc-0a1b2c3d4e5f60718", "vpc_cidr": "10.0.0.0/16"}


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    """Objects of the example with every way in and out, those of the system's namespace and of the whole cluster."""
    folder: Path = tmp_path_factory.mktemp("ways")
    copy_project(folder)
    asked = yaml.safe_load((ROOT / "stacks" / EXAMPLE / "checklist.yaml").read_text(encoding="utf-8"))
    asked["access"] |= {"vpn": True, "ssh": True}
    asked["access"]["users"][0]["ssh_key"] = KEY
    asked["main_cloud"] = {**MAIN, "peering_per_month": "500GB"}
    home = folder / "stacks" / STACK
    home.mkdir()
    (home / "checklist.yaml").write_text(json.dumps(asked, indent=2), encoding="utf-8")
    atoll("accept", STACK, "cheapest", folder=folder)
    return manifests(folder, STACK)


def test_the_server_takes_every_way_in_and_out(kube: KubeClient, example: Applied, ways: list[Manifest]) -> None:
    assert example.objects  # the namespace is there
    mine = [each for each in ways if each["metadata"]["name"].startswith(("vpn", "ssh", "site", "atoll-"))]
    kinds = {each["kind"] for each in mine}
    assert kinds >= {"Deployment", "DaemonSet", "Service", "Secret", "ConfigMap", "NetworkPolicy", "ClusterRoleBinding"}
    for manifest in mine:
        answer = kube.apply(manifest)
        assert answer.ok, f"{manifest['kind']} {manifest['metadata']['name']}: {answer.text}"


def test_everybody_sees_the_nodes_and_only_admins_turn_them(kube: KubeClient, ways: list[Manifest]) -> None:
    for manifest in ways:
        if manifest["kind"].startswith("ClusterRole"):
            assert kube.apply(manifest).ok
    engineer, admin = kube.member_of("atoll:protein-13b:engineer"), kube.member_of("atoll:admin")
    assert engineer.request("GET", "/api/v1/nodes").ok
    assert engineer.request("GET", "/api/v1/pods").status_code == 403
    assert admin.request("GET", "/api/v1/pods").ok
    assert admin.request("GET", "/api/v1/secrets").status_code == 403
