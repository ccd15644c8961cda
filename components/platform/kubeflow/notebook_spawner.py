"""What the web page of notebooks offers: images, accelerators, nodes, volumes, and what is ticked already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from components.context.hardware import BURN_IN_TAINT, NVIDIA, device, taints
from components.platform.building_blocks.images import resolve_image
from planning.checklist.model.vocabulary import Ide
from planning.platform.queues import flavor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from components.platform.building_blocks.context import PlatformContext
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
    """What JupyterLab is offered with, the plain one first."""
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
    """What people choose from.

    Args:
        jupyter: images; empty where nobody asked for JupyterLab.
        code: images of VS Code; likewise.
        devices: extended resources of the pools.
        disk_class: storage class of workspaces; "" for the cluster's default.
        labelled: whether nodes carry the name of their pool.
        ticked: PodDefaults that every namespace has and that a notebook takes unless somebody unticks them.
    """

    jupyter: Sequence[str]
    code: Sequence[str]
    devices: Sequence[str]
    pools: Sequence[Pool]
    disk_class: str
    labelled: bool
    ticked: Sequence[str]


def offer(context: PlatformContext, *, ticked: Sequence[str]) -> SpawnerOptions:
    """What the checklist asks for; both IDEs where it names none."""
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
    """The pools of notebooks; all of the workloads' where no pool is for them alone."""
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
        "imageGroupTwo": _images(()),  # RStudio: it has no way to say whether somebody uses it
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
    """A volume of the notebook's own: it stays when the notebook stops, and when it is deleted."""
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
    """A group for each pool whose nodes are kept for accelerators; untested nodes are never tolerated."""
    groups: list[dict[str, object]] = []
    for pool in pools:
        held = [
            {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": "NoSchedule"}
            for taint in taints(pool)
            if taint.key != BURN_IN_TAINT
        ]
        if held:
            groups.append({"groupKey": pool.name, "displayName": f"nodes of {pool.name}", "tolerations": held})
    return groups
