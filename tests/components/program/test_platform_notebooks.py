from __future__ import annotations

from typing import Any

import pytest
import specs
import yaml
from look import at, of_type, one
from platform_samples import run_part, spec_with

from components.platform.kubeflow import notebooks
from components.platform.kubeflow.notebooks import CODE, JUPYTER, PLAIN, offer, spawner
from operations.offline.program import OfflineRun
from planning.checklist.model.vocabulary import Ide
from planning.spec.cluster import ClusterSpec

DEPLOYMENT = "kubernetes:apps/v1:Deployment"


def form(spec: ClusterSpec) -> dict[str, Any]:
    """What the web page is told, for a cluster with that platform."""
    told: dict[str, Any] = {}

    def build(ground: Any, charges: Any, options: Any) -> Any:
        told.update(spawner(offer(ground, ticked=notebooks.list_preselected_defaults(ground))))
        return notebooks.build(ground, charges, options)

    run_part("notebooks", build, spec)
    return told["spawnerFormDefaults"]


@pytest.fixture(scope="module")
def run() -> OfflineRun:
    return run_part("notebooks", notebooks.build, spec_with(platform={"idle_minutes": 25}))


def test_the_culler_gets_the_checklists_idle_time(run: OfflineRun) -> None:
    culler = one(run, DEPLOYMENT, "atoll-culler")
    env = at(culler, "spec", "template", "spec", "containers", 0, "env")
    assert {"name": "IDLE_MINUTES", "value": "25"} in env  # type: ignore[operator]


def test_the_culler_may_see_and_annotate_notebooks_and_nothing_else(run: OfflineRun) -> None:
    (role,) = of_type(run, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    assert at(role, "rules") == [
        {"apiGroups": ["kubeflow.org"], "resources": ["notebooks"], "verbs": ["list", "patch"]}
    ]


def test_the_culler_sees_services_of_every_namespace_through_the_mesh(run: OfflineRun) -> None:
    (reach,) = [each for each in run.resources if each.inputs.get("kind") == "Sidecar"]
    assert at(reach, "spec") == {
        "workloadSelector": {"labels": {"app": "atoll-culler"}},
        "egress": [{"hosts": ["*/*"]}],
    }


def test_the_culler_passes_the_restricted_standard(run: OfflineRun) -> None:
    pod = at(one(run, DEPLOYMENT, "atoll-culler"), "spec", "template", "spec")
    assert isinstance(pod, dict)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_upstreams_own_culling_is_off() -> None:
    seen: list[Any] = []

    def build(ground: Any, charges: Any, options: Any) -> Any:
        seen.extend(notebooks.patches(ground, ticked=()))
        return notebooks.build(ground, charges, options)

    run_part("notebooks", build, spec_with())
    (patch,) = [each for each in seen if each.name == "notebook-controller-config"]
    assert patch.change == {"data": {"ENABLE_CULLING": "false"}}


def test_a_new_notebook_passes_the_restricted_standard(run: OfflineRun) -> None:
    (template,) = [each for each in of_type(run, "kubernetes:core/v1:ConfigMap") if each.name == "notebook-template"]
    text = at(template, "data", "notebook_template.yaml")
    made = yaml.safe_load(str(text).format(name="n", namespace="w", creator="a@b.example", serviceAccount="editor"))
    pod = made["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["containers"][0]["securityContext"]["allowPrivilegeEscalation"] is False
    assert made["metadata"]["name"] == pod["containers"][0]["name"] == "n"


def test_images_follow_the_frameworks_and_the_accelerators() -> None:
    spec = spec_with().model_copy(update={"ides": (Ide.VSCODE, Ide.JUPYTERLAB)})
    offered = form(spec)
    assert offered["image"]["options"] == [PLAIN, *JUPYTER["pytorch"], *JUPYTER["tensorflow"]]
    assert offered["imageGroupOne"]["options"] == [CODE]


def test_libraries_of_nvidia_are_offered_only_where_there_are_its_accelerators() -> None:
    spec = specs.existing_cluster()
    bare = spec.model_copy(update={"pools": tuple(pool for pool in spec.pools if not pool.accelerator)})
    offered = form(spec_with(bare))
    assert not [image for image in offered["image"]["options"] if "cuda" in image]
    assert offered["gpus"]["value"]["vendors"] == []


def test_an_ide_that_nobody_asked_for_is_not_offered() -> None:
    offered = form(spec_with().model_copy(update={"ides": (Ide.JUPYTERLAB,)}))
    assert offered["imageGroupOne"]["options"] == []
    assert offered["image"]["options"]


def test_the_workspace_is_a_volume_on_the_clusters_network_disks() -> None:
    claim = form(spec_with())["workspaceVolume"]["value"]["newPvc"]
    assert claim["spec"]["storageClassName"] == "disk"
    assert claim["metadata"]["name"] == "{notebook-name}-workspace"


def test_nodes_that_wait_for_their_burn_in_are_never_tolerated() -> None:
    groups = form(spec_with(specs.aws_cluster()))["tolerationGroup"]["options"]
    assert groups
    assert not [each for group in groups for each in group["tolerations"] if "burn-in" in each["key"]]


def test_pools_are_chosen_by_label_where_nodes_carry_ours() -> None:
    assert form(spec_with(specs.aws_cluster()))["affinityConfig"]["options"]
    assert form(spec_with())["affinityConfig"]["options"] == []
