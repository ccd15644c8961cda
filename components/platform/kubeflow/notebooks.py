"""Kubeflow Notebooks: JupyterLab and VS Code in the browser, on persistent volumes, stopped when idle.

Upstream's culler asks every notebook for Jupyter's kernels, and so stops VS Code after the idle time whether somebody
works or not (notebook-controller v1.11.0, culling_controller.go). It is off; ours asks each kind of server its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from components.agents import cluster_api, notebook_culler
from components.context.hardware import BURN_IN_TAINT, NVIDIA, device, taints
from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.images import resolve_image
from components.platform.building_blocks.manifests import PROXY, Patch, manifests, on_system, proxies, request_resources
from components.platform.building_blocks.objects import register_config_map, register_object
from components.platform.building_blocks.script_pod import PodProgram, register_program
from components.platform.building_blocks.sign_in import ROUTES
from planning.checklist.model.vocabulary import Ide
from planning.platform.queues import flavor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext, PlatformResource
    from planning.spec.cluster import Pool


SERVERS: Final = "ghcr.io/kubeflow/kubeflow/notebook-servers"
TAG: Final = "v1.11.0"  # applications/notebooks-v1/upstream/jupyter-web-app/base/configs/spawner_ui_config.yaml
PLAIN: Final = f"{SERVERS}/jupyter-scipy:{TAG}"  # JAX is installed into it: nobody publishes an image with both
CODE: Final = f"{SERVERS}/codeserver-python:{TAG}"  # frameworks are installed into it
# Framework to its images, without and with the libraries of NVIDIA.
JUPYTER: Final[Mapping[str, tuple[str, str]]] = {
    "pytorch": (f"{SERVERS}/jupyter-pytorch-full:{TAG}", f"{SERVERS}/jupyter-pytorch-cuda-full:{TAG}"),
    "tensorflow": (f"{SERVERS}/jupyter-tensorflow-full:{TAG}", f"{SERVERS}/jupyter-tensorflow-cuda-full:{TAG}"),
}


def jupyter_images(frameworks: Collection[str], devices: Collection[str]) -> tuple[str, ...]:
    """Images of JupyterLab, the plain one first."""
    return (PLAIN, *_of_frameworks(frameworks, devices))


def _of_frameworks(frameworks: Collection[str], devices: Collection[str]) -> Iterator[str]:
    for framework, (processors, accelerators) in JUPYTER.items():
        if framework in frameworks:
            yield processors
            if NVIDIA in devices:
                yield accelerators


WORKSPACE_GIB: Final = 20  # room for a framework with its CUDA wheels beside the work
MAKERS: Final[Mapping[str, str]] = {
    "nvidia.com/gpu": "NVIDIA",
    "amd.com/gpu": "AMD",
    "habana.ai/gaudi": "Intel Gaudi",
    "aws.amazon.com/neuron": "AWS Neuron",
    "google.com/tpu": "Google TPU",
}


@dataclass(frozen=True, kw_only=True)
class SpawnerOptions:
    """Options of the spawner page.

    Args:
        jupyter: images; empty where the checklist has no JupyterLab.
        code: images of VS Code; likewise.
        devices: extended resources of the pools.
        disk_class: storage class of workspaces; "" for the cluster's default.
        labelled: whether nodes carry the name of their pool.
        ticked: PodDefaults of every namespace that are preselected.
    """

    jupyter: Sequence[str]
    code: Sequence[str]
    devices: Sequence[str]
    pools: Sequence[Pool]
    disk_class: str
    labelled: bool
    ticked: Sequence[str]


def offer(context: PlatformContext, *, ticked: Sequence[str]) -> SpawnerOptions:
    """Options by the checklist; both IDEs where it names none."""
    spec = context.spec
    pools = _list_notebook_pools(context)
    devices = list(dict.fromkeys(flavor(pool, context.platform).resource for pool in pools if pool.accelerators))
    whole = list(dict.fromkeys(name for pool in pools if (name := device(pool.accelerator))))
    frameworks = {framework for work in context.platform.works for framework in work.frameworks}
    ides = spec.ides or tuple(Ide)
    images = jupyter_images(frameworks, whole) if Ide.JUPYTERLAB in ides else ()
    return SpawnerOptions(
        jupyter=[resolve_image(image, context) for image in images],
        code=[resolve_image(CODE, context)] if Ide.VSCODE in ides else [],
        devices=devices,
        pools=pools,
        disk_class=context.volume_class,
        labelled=context.labelled,
        ticked=ticked,
    )


def _list_notebook_pools(context: PlatformContext) -> list[Pool]:
    """Pools of notebooks; those of all workloads where notebooks have none of their own."""
    theirs = {work.name for work in context.platform.works if work.kind == "notebooks"}
    pools = [pool for pool in context.spec.pools if pool.role != "system"]
    return [pool for pool in pools if pool.workload in theirs] or pools


def spawner(offered: SpawnerOptions) -> dict[str, object]:
    fields: dict[str, object] = {
        "allowCustomImage": True,
        "hideRegistry": True,
        "hideTag": False,
        "imagePullPolicy": {"readOnly": True, "value": "IfNotPresent"},
        "image": _images(offered.jupyter),
        "imageGroupOne": _images(offered.code),
        "imageGroupTwo": _images(()),  # RStudio: it does not report its use
        "cpu": {"readOnly": False, "value": "1", "limitFactor": "none"},
        "memory": {"readOnly": False, "value": "4.0Gi", "limitFactor": "1.2"},
        "gpus": {"readOnly": False, "value": _accelerators(offered.devices)},
        "workspaceVolume": {"readOnly": False, "value": _workspace(offered.disk_class)},
        "dataVolumes": {"readOnly": False, "value": []},
        "affinityConfig": {"readOnly": False, "value": "", "options": _nodes(offered)},
        "tolerationGroup": {"readOnly": False, "value": "", "options": _build_toleration_groups(offered.pools)},
        "shm": {"readOnly": False, "value": True},
        "configurations": {"readOnly": False, "value": list(offered.ticked)},
        "environment": {"readOnly": False, "value": {}},
    }
    return {"spawnerFormDefaults": fields}


def _images(images: Sequence[str]) -> dict[str, object]:
    return {"value": images[0] if images else "", "options": list(images)}


def _accelerators(devices: Collection[str]) -> dict[str, object]:
    makers = [{"limitsKey": name, "uiName": MAKERS.get(name, name)} for name in devices]
    return {"vendor": makers[0]["limitsKey"] if len(makers) == 1 else "", "vendors": makers, "num": "none"}


def _workspace(disk_class: str) -> dict[str, object]:
    """A volume of the notebook, which is kept when the notebook stops or is deleted."""
    claim: dict[str, object] = {
        "resources": {"requests": {"storage": f"{WORKSPACE_GIB}Gi"}},
        "accessModes": ["ReadWriteOnce"],
    }
    if disk_class:
        claim["storageClassName"] = disk_class
    return {
        "mount": "/home/jovyan",
        "newPvc": {"metadata": {"name": "{notebook-name}-workspace"}, "spec": claim},
    }


def _nodes(offered: SpawnerOptions) -> list[dict[str, object]]:
    return [
        {
            "configKey": pool.name,
            "displayName": f"{pool.name}: {pool.machine}",
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": _pool_term(pool)}},
        }
        for pool in offered.pools
        if offered.labelled
    ]


def _pool_term(pool: Pool) -> dict[str, object]:
    chosen = {"key": "atoll/pool", "operator": "In", "values": [pool.name]}
    return {"nodeSelectorTerms": [{"matchExpressions": [chosen]}]}


def _build_toleration_groups(pools: Sequence[Pool]) -> list[dict[str, object]]:
    """A group of tolerations for each tainted pool."""
    groups: list[dict[str, object]] = []
    for pool in pools:
        held = [
            {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": "NoSchedule"}
            for taint in taints(pool)
            # A node that nobody has tested yet is no place for a person's work.
            if taint.key != BURN_IN_TAINT
        ]
        if held:
            groups.append({"groupKey": pool.name, "displayName": f"nodes of {pool.name}", "tolerations": held})
    return groups


SECONDS_BETWEEN: Final = 60


def build_culler(context: PlatformContext, *, image: str) -> PodProgram:
    """The culler, with permission to list and annotate notebooks only."""
    return PodProgram(
        name=names.CULLER,
        namespace=names.KUBEFLOW,
        modules=[notebook_culler, cluster_api],
        folder="/culler",
        image=image,
        rules={"": [{"api_groups": ["kubeflow.org"], "resources": ["notebooks"], "verbs": ["list", "patch"]}]},
        env={
            "IDLE_MINUTES": str(context.platform.idle_minutes),
            "SECONDS_BETWEEN": str(SECONDS_BETWEEN),
        },
        container={"name": "culler"},
        labels={"sidecar.istio.io/inject": "true"},
        annotations=PROXY,
    )


TEMPLATE: Final = "notebook-template"
TEMPLATE_FILE: Final = "notebook_template.yaml"
TEMPLATE_PATH: Final = f"/src/apps/common/yaml/{TEMPLATE_FILE}"  # of jupyter-web-app v1.11.0
WEB_IMAGE: Final = "ghcr.io/kubeflow/notebooks/jupyter-web-app:v1.11.0"  # has Python 3.12, and is there already
# Deployment to its container and the memory it asks for, where the release asks nothing (idle: 806 MiB, upstream).
MEMORY: Final[Mapping[str, tuple[str, str]]] = {
    "jupyter-web-app-deployment": ("jupyter-web-app", "128Mi"),
    "notebook-controller-deployment": ("manager", "64Mi"),
    "tensorboards-web-app-deployment": ("tensorboards-web-app", "128Mi"),
    "volumes-web-app-deployment": ("volumes-web-app", "128Mi"),
}


@component(
    "notebooks",
    "atoll:platform:Notebooks",
    inputs=lambda context, charges: {
        **context.describe_part("notebooks", charges),
        "idleMinutes": context.platform.idle_minutes,
    },
)
def build(own: PlatformResource) -> None:
    """Controllers and web pages of notebooks, volumes and TensorBoards, and the culler."""
    context = own.context
    changes = patches(context, ticked=list_preselected_defaults(context))
    pages = {TEMPLATE_FILE: read_notebook_template()}
    template = register_config_map(f"atoll-{TEMPLATE}", pages, namespace=names.KUBEFLOW, parent=own, logical=TEMPLATE)
    upstream = manifests(own, changes, after=[template])
    culler = build_culler(context, image=resolve_image(WEB_IMAGE, context))
    # The mesh shows a pod the services of its own and of Kubeflow's namespaces only (istio-install, Sidecar).
    seen = {"workloadSelector": {"labels": {"app": names.CULLER}}, "egress": [{"hosts": ["*/*"]}]}
    reach = register_object(ROUTES, "Sidecar", names.CULLER, seen, namespace=names.KUBEFLOW, parent=own)
    register_program(culler, on=context.on_system, parent=own, after=[reach, upstream])


def patches(context: PlatformContext, *, ticked: Sequence[str]) -> list[Patch]:
    document = yaml.safe_dump(spawner(offer(context, ticked=ticked)), sort_keys=False)
    pages = {"spawner_ui_config.yaml": document}
    return [
        Patch(kind="ConfigMap", name="jupyter-web-app-config", change={"data": pages}),
        Patch(kind="Deployment", name="jupyter-web-app-deployment", change=_build_template_mount()),
        Patch(kind="ConfigMap", name="notebook-controller-config", change={"data": {"ENABLE_CULLING": "false"}}),
        *(request_resources(name, each, cpu="10m", memory=memory) for name, (each, memory) in MEMORY.items()),
        proxies(),
        *on_system(context),
    ]


def list_preselected_defaults(context: PlatformContext) -> Sequence[str]:
    """Preselected PodDefaults, which the component "teams" makes."""
    tracker = context.spec.tracker
    tracked = tracker != names.MLFLOW or context.has("mlflow")
    return (names.S3_DEFAULT, *((tracker,) if tracked else ()))


def _build_template_mount() -> dict[str, object]:
    """The web app with our notebook template."""
    mount = {"name": TEMPLATE, "mountPath": TEMPLATE_PATH, "subPath": TEMPLATE_FILE, "readOnly": True}
    pod = {
        "containers": [{"name": "jupyter-web-app", "volumeMounts": [mount]}],
        "volumes": [{"name": TEMPLATE, "configMap": {"name": f"atoll-{TEMPLATE}"}}],
    }
    return {"spec": {"template": {"spec": pod}}}


def read_notebook_template() -> str:
    """Template of a notebook: upstream's fields, under the restricted pod security standard."""
    # `fsGroup` in it is the group of the notebook images, who own the home folder (example-notebook-servers/base).
    return Path(__file__).with_name(TEMPLATE_FILE).read_text(encoding="utf-8")
