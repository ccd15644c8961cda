"""Services that are tried by an object of theirs: it is made, and watched until it says that it is well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.api_checks import STAGE
from components.acceptance.images import NOTEBOOK, PYTHON, TORCH
from components.acceptance.job_context import ACCOUNT, head
from components.acceptance.model import JOB_DONE, JOB_FAILED, PlannedJob, Sign, backwards, reference
from components.acceptance.pods import NOBODY, RUNTIME, SMALL, labels, named, secured
from planning.agents.measurement_records import Per, subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.acceptance.job_context import Ground
    from components.acceptance.model import Manifest

CONDITION_SECONDS: Final = 1800
CONDITIONS: Final = ("status", "conditions")
TORCH_RUNTIME: Final = "torch-distributed"  # ClusterTrainingRuntime that every cluster with Trainer has
PERSON: Final = 1000
# Katib's own example of a trial in a plain Job, with a target that the first trial reaches.
TRIAL: Final = "import random; print('loss=' + str(float('${trialParameters.rate}') * random.random()))"
SUM: Final = "import torch; assert float(torch.ones(8).sum()) == 8.0; print(torch.__version__)"


def notebook(ground: Ground) -> PlannedJob:
    """A notebook server of the plain image, without accelerator or volume; ready when its page answers."""
    name = named("notebook", ground.run)
    one: Manifest = {
        "name": name,  # the controller takes the container of this name for the server
        "image": ground.picture(NOTEBOOK),
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
        "securityContext": secured(root=False),
    }
    pod: Manifest = {**_confined(PERSON), "containers": [one]}
    marked = labels(ground, name)  # which the controller gives to the pod
    spec: Manifest = {"template": {"spec": pod}}
    made: Manifest = {**head("kubeflow.org/v1", "Notebook", name, labels=marked), "spec": spec}
    ready = Sign(path=("status", "readyReplicas"), value="1")
    return _plan_condition(ground, "notebook", name, made, done=(ready,), failed=())


def training(ground: Ground) -> PlannedJob:
    """A training job on one node without accelerator: those are measured by the checks of nodes."""
    name = named("training", ground.run)
    marked = labels(ground, name)
    made: Manifest = {
        **head("trainer.kubeflow.org/v1alpha1", "TrainJob", name, labels=marked),
        "spec": {
            "runtimeRef": {"name": TORCH_RUNTIME},
            "trainer": {
                "image": ground.picture(TORCH),
                "command": ["python3", "-c", SUM],
                "numNodes": 1,
                "numProcPerNode": 1,
                "resourcesPerNode": {"requests": {"cpu": "500m", "memory": "1Gi"}},
            },
        },
    }
    return _plan_condition(ground, "training", name, made, done=JOB_DONE, failed=JOB_FAILED)


def sweep(ground: Ground) -> PlannedJob:
    """Two trials at random, of a second each."""
    name = named("sweep", ground.run)
    marked = labels(ground, name)
    space = {"min": "0.01", "max": "0.05"}
    spec: Manifest = {
        "objective": {"type": "minimize", "objectiveMetricName": "loss"},
        "algorithm": {"algorithmName": "random"},
        "parallelTrialCount": 2,
        "maxTrialCount": 2,
        "maxFailedTrialCount": 0,
        "parameters": [{"name": "rate", "parameterType": "double", "feasibleSpace": space}],
        "trialTemplate": {
            "primaryContainerName": "trial",
            "trialParameters": [{"name": "rate", "description": "scale of the loss", "reference": "rate"}],
            "trialSpec": _trial(ground, marked),
        },
    }
    made: Manifest = {**head("kubeflow.org/v1beta1", "Experiment", name, labels=marked), "spec": spec}
    done = (Sign(path=CONDITIONS, condition="Succeeded"),)
    return _plan_condition(ground, "sweep", name, made, done=done, failed=JOB_FAILED)


def _trial(ground: Ground, marked: dict[str, str]) -> Manifest:
    one: Manifest = {
        "name": "trial",
        "image": ground.picture(PYTHON),
        "command": ["python3", "-c", TRIAL],
        "resources": {"requests": dict(SMALL)},
        "securityContext": secured(root=False),
    }
    pod = {**_confined(NOBODY), "restartPolicy": "Never", "containers": [one]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {"backoffLimit": 0, "template": {"metadata": {"labels": marked}, "spec": pod}},
    }


def _confined(user: int) -> Manifest:
    return {
        "serviceAccountName": ACCOUNT,
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": user, "fsGroup": user, "seccompProfile": RUNTIME},
    }


def _plan_condition(
    ground: Ground, service: str, name: str, made: Manifest, *, done: Sequence[Sign], failed: Sequence[Sign]
) -> PlannedJob:
    return PlannedJob(
        name=name,
        checks=("smoke",),
        subject=subject(Per.SERVICE, service, placement=ground.spec.placement.name),
        objects=(made,),
        awaited=reference(made),
        done=tuple(done),
        failed=tuple(failed),
        log=None,
        seconds=CONDITION_SECONDS,
        stage=STAGE,
        removed=backwards([made]),
    )
