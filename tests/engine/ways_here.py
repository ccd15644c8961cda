"""Checklists that only an engine test asks for, and what a provider would do beside the engine: give out addresses."""

from __future__ import annotations

import contextlib
import json
import threading
from typing import TYPE_CHECKING, Any

import yaml
from engine_here import Here
from existing_plan import EXAMPLE, ROOT, atoll, copy_project
from kube_client import KubeClient

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from control_plane import ControlPlane

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleKeyOfWren00000000000000000000000 wren"
PEOPLE = {"wren": "admin", "teal": "engineer", "rook": "viewer"}
ADDRESS = "203.0.113.77"


def asked() -> dict[str, Any]:
    """The checklist of the example, without its ceiling."""
    found = yaml.safe_load((ROOT / "stacks" / EXAMPLE / "checklist.yaml").read_text(encoding="utf-8"))
    return {name: value for name, value in found.items() if name != "ceiling"}


def with_ways_in() -> dict[str, Any]:
    """VPN and SSH for three people, each with another role."""
    users = [
        {"name": name, "email": f"{name}@tern-bio.example", "group": group, "ssh_key": KEY}
        for name, group in PEOPLE.items()
    ]
    return {**asked(), "access": {"vpn": True, "ssh": True, "users": users}}


def over_two_clusters() -> dict[str, Any]:
    """The same work twice, the second time in a cluster of its own that gets no jobs from home."""
    found = asked()
    (workload,) = found["workloads"]
    existing = {**found["where"]["existing"], "kubeconfig_env": "ANNEX_KUBECONFIG", "context": "annex"}
    elsewhere = {"name": "annex", "workloads": ["screens"], "existing": existing}
    return {
        **found,
        "workloads": [workload, {**workload, "name": "screens"}],
        "where": {**found["where"], "joined": False, "elsewhere": [elsewhere]},
    }


def accepted_as(stack: str, checklist: dict[str, Any], *, folder: Path) -> Here:
    """A project in which the cheapest option of a checklist is accepted, without a cluster yet."""
    copy_project(folder)
    home = folder / "stacks" / stack
    home.mkdir()
    (home / "checklist.yaml").write_text(json.dumps(checklist, indent=2), encoding="utf-8")
    atoll("accept", stack, "cheapest", folder=folder)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return Here(folder, folder / "kubeconfig")


@contextlib.contextmanager
def addresses(plane: ControlPlane) -> Generator[None]:
    """While it lasts, every service that asks for a load balancer gets an address, as from a cloud's controller."""
    ended = threading.Event()

    def give() -> None:
        kube = KubeClient(plane)
        while not ended.wait(0.3):
            for each in kube.request("GET", "/api/v1/services").json()["items"]:
                if each["spec"]["type"] == "LoadBalancer" and not each["status"]["loadBalancer"]:
                    _give(kube, each["metadata"])

    giver = threading.Thread(target=give)
    giver.start()
    try:
        yield
    finally:
        ended.set()
        giver.join()


def _give(kube: KubeClient, service: dict[str, Any]) -> None:
    kube.request(
        "PATCH",
        f"/api/v1/namespaces/{service['namespace']}/services/{service['name']}/status",
        body={"status": {"loadBalancer": {"ingress": [{"ip": ADDRESS}]}}},
        content_type="application/merge-patch+json",
    )
