"""Objects of backups, of Slurm and of the hand-over, judged by the definitions of the charts that bring them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import definitions
import pytest
import yaml

PROGRAMS = Path(__file__).parents[1] / "components" / "program"
sys.path.append(str(PROGRAMS))

import test_platform_argo_cd as handing_over  # noqa: E402 - from the folder of the program tests
from platform_samples import BUCKET, run_part, spec_with  # noqa: E402 - as above

from components.platform.operations import argo_cd, velero  # noqa: E402 - as above
from operations.gitops.components import plain  # noqa: E402 - as above

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kube_client import KubeClient, Manifest

    from operations.offline.program import OfflineRun

pytestmark = [pytest.mark.server, pytest.mark.allow_hosts(["127.0.0.1"]), definitions.here]

GUIDE = Path(__file__).parents[2] / "docs/guides/backups.md"
OURS = ("velero.io", "argoproj.io", "networking.istio.io", "security.istio.io", "cert-manager.io")


def custom(run: OfflineRun) -> Iterator[Manifest]:
    for resource in run.resources:
        group, _, kind = resource.type.removeprefix("kubernetes:").rpartition(":")
        if group.rpartition("/")[0] in OURS:
            found: Any = plain(dict(resource.inputs))
            yield {**found, "apiVersion": group, "kind": kind}


def accept(kube: KubeClient, manifest: Manifest) -> None:
    group = definitions.group_of(manifest)
    assert definitions.is_served(kube, manifest) or definitions.install(kube, group, manifest["kind"]), manifest["kind"]
    space = manifest["metadata"].get("namespace")
    if space:
        kube.have_namespace(space)
    answer = kube.apply(manifest, dry_run=True)
    assert answer.ok, f"{manifest['kind']} {manifest['metadata'].get('name')}: {answer.text}"


@pytest.mark.parametrize("bucket", [None, BUCKET])
def test_the_place_and_the_schedules_of_backups_are_what_velero_defines(kube: KubeClient, bucket: Any) -> None:
    found = list(custom(run_part("velero", velero.build, spec_with(support="24x7"), bucket=bucket)))
    assert {each["kind"] for each in found} >= {"BackupStorageLocation", "Schedule"}
    for each in found:
        accept(kube, each)


def test_the_snapshot_class_is_what_the_snapshotter_defines(kube: KubeClient) -> None:
    from test_platform_velero import on_google, values

    for each in values(on_google())["extraObjects"]:
        accept(kube, each)


def test_every_object_that_the_guide_restores_by_is_what_velero_defines(kube: KubeClient) -> None:
    blocks = GUIDE.read_text(encoding="utf-8").split("```yaml\n")[1:]
    found = [each for block in blocks for each in yaml.safe_load_all(block.split("```")[0])]
    assert {each["kind"] for each in found} >= {"Backup", "Restore"}
    for each in found:
        accept(kube, each)


def test_applications_and_their_project_are_what_argo_cd_defines(kube: KubeClient) -> None:
    texts = handing_over.written(handing_over.platform())
    found = [yaml.safe_load(text) for path, text in texts.items() if path.endswith(".yaml")]
    ours = [each for each in found if each["apiVersion"].startswith("argoproj.io")]
    assert {each["kind"] for each in ours} == {"Application", "AppProject"}
    for each in ours:
        accept(kube, each)


def test_argo_cds_page_and_certificate_are_accepted(kube: KubeClient) -> None:
    for each in custom(run_part("argo_cd", argo_cd.build, handing_over.spec())):
        accept(kube, each)


def test_workers_and_login_pods_of_slurm_are_what_slinky_defines(kube: KubeClient) -> None:
    """The chart copies these values into its custom objects, under other names."""
    from test_platform_slurm import ADA, spec_of, values

    found = values(spec_of(access={"users": [ADA]}))
    (workers,), (people,) = found["nodesets"].values(), found["loginsets"].values()
    shared = {"controllerRef": {"name": "slurm"}, "replicas": 1}
    accept(
        kube,
        {
            "apiVersion": "slinky.slurm.net/v1beta1",
            "kind": "NodeSet",
            "metadata": {"name": "slurm-worker-burst", "namespace": "slurm"},
            "spec": {
                **shared,
                "slurmd": {"image": "slurmd", **workers["slurmd"]},
                "partition": {"enabled": True, "config": "State=UP"},
                "template": {"spec": workers["podSpec"]},
            },
        },
    )
    accept(
        kube,
        {
            "apiVersion": "slinky.slurm.net/v1beta1",
            "kind": "LoginSet",
            "metadata": {"name": "slurm-login-people", "namespace": "slurm"},
            "spec": {
                **shared,
                "sssdConfRef": {"name": "slurm-sssd-conf", "key": "sssd.conf"},
                "extraSshdConfig": people["extraSshdConfig"],
                "login": {"image": "login", **people["login"]},
                "template": {"spec": people["podSpec"]},
                "service": people["service"],
            },
        },
    )
