"""Smoke tests: whether each installed service of the cluster does its work once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.job_context import ACCOUNT, NAMESPACE, build_object_header, code_object
from components.acceptance.model import JOB_DONE, JOB_FAILED, PlannedJob, StatusMatcher
from components.acceptance.pods import (
    MLFLOW,
    NOBODY,
    NOTEBOOK,
    PYTHON,
    RUNTIME,
    SCRIPT_FOLDER,
    SMALL,
    TORCH,
    JobPodOptions,
    build_object_name,
    build_security_context,
    code_volumes,
    container,
    job_object,
    labels,
    log_of,
    plan_job,
    pod_security,
)
from components.agents.measure import services
from components.context.names import SERVICE_ACCOUNT, namespace, workloads
from components.platform.building_blocks.names import EDITOR, KUBEFLOW, MLFLOW_ADDRESS, S3_ADDRESS, S3_DEFAULT
from planning.acceptance.expectations import services_of
from planning.agents.measurement_records import Per, subject
from planning.platform.queues import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from components.acceptance.job_context import JobContext
    from components.acceptance.model import Manifest


STAGE: Final = 50
API_SECONDS: Final = 1200
AUTHORITY: Final = "/etc/s3-ca"
PIPELINES: Final = f"http://ml-pipeline.{KUBEFLOW}.svc.cluster.local:8888"
TOKENS: Final = "/var/run/secrets/kubeflow/pipelines"
TRY: Final = ("python3", "-m", services.__name__)
PREDICTOR: Final = "kserve-container"  # what KServe calls the container of a model of one's own
MODEL_PORT: Final = 8080


def home(context: JobContext) -> str:
    """Namespace of the first workload that a team works in; "" where there is none."""
    platform = context.spec.platform
    mine = workloads(context.spec)
    named_first = [work for team in (platform.teams if platform else ()) for work in team.workloads if work in mine]
    return namespace(named_first[0]) if named_first else ""


def s3(context: JobContext) -> PlannedJob | None:
    """An object put, got and deleted with the keys of the team, which reach its own bucket and no other."""
    keyed: Manifest = {"name": "ca", "secret": {"secretName": "s3-ca", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
    return _within(
        context,
        "s3",
        url=S3_ADDRESS,
        given=({"secretRef": {"name": f"{S3_DEFAULT}-store"}},),
        mounts={"ca": AUTHORITY},
        volumes=(keyed,),
    )


def mlflow(context: JobContext) -> PlannedJob | None:
    """A run logged and read back by MLflow's own interface."""
    return _within(context, "mlflow", url=MLFLOW_ADDRESS)


def pipeline(context: JobContext) -> PlannedJob | None:
    """A pipeline sent, and seen through to its end, as the account that runs the team's pipelines."""
    source = {"serviceAccountToken": {"path": "token", "expirationSeconds": 7200, "audience": "pipelines.kubeflow.org"}}
    token: Manifest = {"name": "pipelines-token", "projected": {"sources": [source]}}
    return _within(
        context,
        "pipeline",
        url=PIPELINES,
        account=EDITOR,
        env=(
            {"name": "KF_PIPELINES_SA_TOKEN_PATH", "value": f"{TOKENS}/token"},
            {"name": "NAMESPACE", "value": home(context)},
            {"name": "STEP_IMAGE", "value": context.picture(PYTHON)},
        ),
        mounts={"pipelines-token": TOKENS},
        volumes=(token,),
    )


def serving(context: JobContext) -> PlannedJob:
    """A model of three lines behind KServe, and somebody who asks it."""
    name = build_object_name("serving", context.run, most=40)
    marked = labels(context, name)
    model: Manifest = {
        **build_object_header("serving.kserve.io/v1beta1", "InferenceService", name, labels=marked),
        "spec": {"predictor": {"minReplicas": 1, **_model(context)}},
    }
    url = f"http://{name}-predictor.{NAMESPACE}.svc.cluster.local/v1/models/model:predict"
    job = job_object(context, name, _asking(context, "serving", url), seconds=API_SECONDS)
    return _plan_call(context, "serving", name, (model, job), namespace_=NAMESPACE)


def _model(context: JobContext) -> Manifest:
    command = ["python3", f"{SCRIPT_FOLDER}/model.py", str(MODEL_PORT)]
    one = container(context, JobPodOptions(image=PYTHON, command=command), name=PREDICTOR)
    return {
        "serviceAccountName": ACCOUNT,
        "automountServiceAccountToken": False,
        "securityContext": pod_security(root=False),
        "containers": [{**one, "ports": [{"containerPort": MODEL_PORT, "protocol": "TCP"}]}],
        "volumes": code_volumes(),
    }


def _asking(context: JobContext, service: str, url: str) -> JobPodOptions:
    said = ("--placement", context.spec.placement.name, "--service", service, "--url", url)
    return JobPodOptions(image=PYTHON, command=[*TRY, *said])


def _within(
    context: JobContext,
    service: str,
    *,
    url: str,
    account: str = SERVICE_ACCOUNT,
    env: Sequence[Manifest] = (),
    given: Sequence[Manifest] = (),
    mounts: dict[str, str] | None = None,
    volumes: Sequence[Manifest] = (),
) -> PlannedJob | None:
    """A job in a team's namespace, in its queue; None where no team has one."""
    where = home(context)
    if not where:
        return None
    name = build_object_name(service, context.run)
    said = ("--placement", context.spec.placement.name, "--service", service, "--url", url)
    pod = JobPodOptions(
        image=IMAGES.get(service, PYTHON),
        command=[*TRY, *said],
        env=env,
        given=given,
        mounts=mounts or {},
        volumes=volumes,
        account=account,
        code=name,
    )
    code = code_object(name, namespace=where, labels=labels(context, name))
    job = job_object(context, name, pod, seconds=API_SECONDS, namespace=where, queue=OPEN)
    return _plan_call(context, service, name, (code, job), namespace_=where)


def _plan_call(
    context: JobContext, service: str, name: str, objects: tuple[Manifest, ...], *, namespace_: str
) -> PlannedJob:
    return plan_job(
        name,
        objects,
        checks=("smoke",),
        about=subject(Per.SERVICE, service, placement=context.spec.placement.name),
        seconds=API_SECONDS,
        stage=STAGE,
        log=log_of(context, name, namespace=namespace_, more=f"batch.kubernetes.io/job-name={name}"),
    )


IMAGES: Final = {"mlflow": MLFLOW, "s3": MLFLOW}


CONDITION_SECONDS: Final = 1800
CONDITIONS: Final = ("status", "conditions")
TORCH_RUNTIME: Final = "torch-distributed"  # ClusterTrainingRuntime that every cluster with Trainer has
PERSON: Final = 1000
# Katib's own example of a trial in a plain Job, with a target that the first trial reaches.
TRIAL: Final = "import random; print('loss=' + str(float('${trialParameters.rate}') * random.random()))"
SUM: Final = "import torch; assert float(torch.ones(8).sum()) == 8.0; print(torch.__version__)"


def notebook(context: JobContext) -> PlannedJob:
    """A notebook server of the plain image, without accelerator or volume; ready when its page answers."""
    name = build_object_name("notebook", context.run)
    one: Manifest = {
        "name": name,  # the controller takes the container of this name for the server
        "image": context.picture(NOTEBOOK),
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
        "securityContext": build_security_context(root=False),
    }
    pod: Manifest = {**_build_restricted_pod(PERSON), "containers": [one]}
    marked = labels(context, name)  # which the controller gives to the pod
    spec: Manifest = {"template": {"spec": pod}}
    made: Manifest = {**build_object_header("kubeflow.org/v1", "Notebook", name, labels=marked), "spec": spec}
    ready = StatusMatcher(path=("status", "readyReplicas"), value="1")
    return _plan_condition(context, "notebook", made, done=(ready,), failed=())


def training(context: JobContext) -> PlannedJob:
    """A training job on one node without accelerator."""
    name = build_object_name("training", context.run)
    marked = labels(context, name)
    made: Manifest = {
        **build_object_header("trainer.kubeflow.org/v1alpha1", "TrainJob", name, labels=marked),
        "spec": {
            "runtimeRef": {"name": TORCH_RUNTIME},
            "trainer": {
                "image": context.picture(TORCH),
                "command": ["python3", "-c", SUM],
                # Without an accelerator: those are measured by the checks of nodes.
                "numNodes": 1,
                "numProcPerNode": 1,
                "resourcesPerNode": {"requests": {"cpu": "500m", "memory": "1Gi"}},
            },
        },
    }
    return _plan_condition(context, "training", made)


def sweep(context: JobContext) -> PlannedJob:
    name = build_object_name("sweep", context.run)
    marked = labels(context, name)
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
            "trialSpec": _trial(context, marked),
        },
    }
    made: Manifest = {**build_object_header("kubeflow.org/v1beta1", "Experiment", name, labels=marked), "spec": spec}
    done = (StatusMatcher(path=CONDITIONS, condition="Succeeded"),)
    return _plan_condition(context, "sweep", made, done=done)


def _trial(context: JobContext, marked: dict[str, str]) -> Manifest:
    one: Manifest = {
        "name": "trial",
        "image": context.picture(PYTHON),
        "command": ["python3", "-c", TRIAL],
        "resources": {"requests": dict(SMALL)},
        "securityContext": build_security_context(root=False),
    }
    pod = {**_build_restricted_pod(NOBODY), "restartPolicy": "Never", "containers": [one]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {"backoffLimit": 0, "template": {"metadata": {"labels": marked}, "spec": pod}},
    }


def _build_restricted_pod(user: int) -> Manifest:
    return {
        "serviceAccountName": ACCOUNT,
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": user, "fsGroup": user, "seccompProfile": RUNTIME},
    }


def _plan_condition(
    context: JobContext,
    service: str,
    made: Manifest,
    *,
    done: tuple[StatusMatcher, ...] = JOB_DONE,
    failed: tuple[StatusMatcher, ...] = JOB_FAILED,
) -> PlannedJob:
    return plan_job(
        build_object_name(service, context.run),
        (made,),
        checks=("smoke",),
        about=subject(Per.SERVICE, service, placement=context.spec.placement.name),
        seconds=CONDITION_SECONDS,
        stage=STAGE,
        log=None,
        done=done,
        failed=failed,
    )


SMOKES: Final[Mapping[str, Callable[[JobContext], PlannedJob | None]]] = {
    "notebook": notebook,
    "pipeline": pipeline,
    "training": training,
    "sweep": sweep,
    "serving": serving,
    "mlflow": mlflow,
    "s3": s3,
}


def service_jobs(context: JobContext) -> Iterator[PlannedJob]:
    for name in services_of(context.spec):
        made = SMOKES[name](context)
        if made is not None:
            yield made
