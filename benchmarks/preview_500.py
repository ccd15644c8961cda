"""Writes a preview of 500 resources, as `pulumi preview --json --show-sames` does: 10 clusters of 50 resources.

python benchmarks/preview_500.py > preview_500.json
"""

from __future__ import annotations

import json
import sys
from itertools import count, islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
STACK = "urn:pulumi:bench::atoll::"
REGION = "us-east-1"
PROVIDER = f"{STACK}pulumi:providers:aws::main"
MACHINES = ("p5.48xlarge", "g6.12xlarge", "m7i.2xlarge", "p4d.24xlarge")

State = dict[str, object]


def state(token: str, name: str, inputs: State, *, depends: dict[str, list[str]] | None = None) -> State:
    """One resource in the engine's own form."""
    return {
        "urn": f"{STACK}{token}::{name}",
        "custom": not token.startswith("atoll:"),
        "type": token,
        "inputs": {**inputs, "tags": {"customer": "acme", "stack": "bench", "managed-by": "atoll", "name": name}},
        "outputs": {**inputs, "arn": UNKNOWN, "id": UNKNOWN, "tagsAll": {"customer": "acme", "stack": "bench"}},
        "parent": f"{STACK}pulumi:pulumi:Stack::atoll-bench",
        "propertyDependencies": depends or {},
        "provider": f"{PROVIDER}::{UNKNOWN}",
    }


def cluster(number: int) -> Iterator[State]:
    """50 resources of one cluster."""
    name = f"c{number}"
    yield state("aws:ec2/vpc:Vpc", f"{name}-vpc", {"cidrBlock": "10.0.0.0/16"})
    yield state("aws:eks/cluster:Cluster", name, {"version": "1.34", "upgradePolicy": {"supportType": "STANDARD"}})
    yield state("aws:kms/key:Key", f"{name}-key", {"enableKeyRotation": True})
    for zone in range(3):
        yield state("aws:ec2/subnet:Subnet", f"{name}-{zone}", {"vpcId": UNKNOWN, "cidrBlock": f"10.0.{zone}.0/24"})
        yield state("aws:ec2/eip:Eip", f"{name}-{zone}", {"domain": "vpc"})
        yield state("aws:ec2/natGateway:NatGateway", f"{name}-{zone}", {"subnetId": UNKNOWN, "allocationId": UNKNOWN})
    for pool, machine in enumerate(MACHINES):
        yield from nodes(f"{name}-{pool}", machine)
    yield state("aws:fsx/lustreFileSystem:LustreFileSystem", name, lustre())
    yield state("aws:s3/bucket:Bucket", f"{name}-archive", {"forceDestroy": False})
    for rule in count():
        yield state("aws:iam/role:Role", f"{name}-{rule}", {"assumeRolePolicy": json.dumps({"Statement": [rule]})})


def nodes(name: str, machine: str) -> Iterator[State]:
    """A launch template and its node group."""
    disk = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": 200, "volumeType": "gp3", "iops": 6000}}
    template = state("aws:ec2/launchTemplate:LaunchTemplate", name, {"blockDeviceMappings": [disk]})
    yield template
    group: State = {
        "instanceTypes": [machine],
        "scalingConfig": {"minSize": 0, "desiredSize": 2, "maxSize": 8},
        "launchTemplate": {"id": UNKNOWN, "version": UNKNOWN},
        "nodeRoleArn": UNKNOWN,
        "subnetIds": [UNKNOWN, UNKNOWN, UNKNOWN],
        "labels": {"pool": name, "role": "gpu"},
        "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
    }
    yield state("aws:eks/nodeGroup:NodeGroup", name, group, depends={"launchTemplate": [str(template["urn"])]})


def lustre() -> State:
    """Inputs of a warm tier."""
    return {"deploymentType": "PERSISTENT_2", "perUnitStorageThroughput": 125, "storageCapacity": 12000}


def preview(*, clusters: int = 10, each: int = 50) -> dict[str, object]:
    """The whole document; two thirds of the clusters exist already."""
    provider = {**state("pulumi:providers:aws", "main", {"region": REGION}), "provider": ""}
    states = [provider, *(made for number in range(clusters) for made in islice(cluster(number), each))]
    steps = [step(made, old=index % 3 > 0) for index, made in enumerate(states[: clusters * each])]
    return {"config": {"aws:region": REGION}, "steps": steps, "changeSummary": {"same": 0, "create": len(steps)}}


def step(made: State, *, old: bool) -> dict[str, object]:
    """A step that updates or creates one resource."""
    if not old:
        return {"op": "create", "urn": made["urn"], "newState": made, "detailedDiff": None}
    return {"op": "update", "urn": made["urn"], "oldState": made, "newState": made, "detailedDiff": None}


def write(path: Path) -> None:
    """Write the document to a file, laid out as the engine does."""
    path.write_text(json.dumps(preview(), indent=4), encoding="utf-8")


if __name__ == "__main__":
    json.dump(preview(), sys.stdout, indent=4)
