"""Services that are tried by asking them: a pod with the rights of a team's own pods does what people do there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.acceptance.images import MLFLOW, PYTHON
from components.acceptance.job_context import ACCOUNT, NAMESPACE, code_object, head
from components.acceptance.model import JOB_DONE, JOB_FAILED, Log, PlannedJob, backwards, reference
from components.acceptance.pods import (
    CONTAINER,
    SCRIPT_FOLDER,
    Pod,
    code_volumes,
    container,
    job_object,
    labels,
    named,
    pod_security,
    selector,
)
from components.agents.measure import services
from components.context.names import SERVICE_ACCOUNT, namespace, workloads
from components.platform.building_blocks.names import EDITOR, KUBEFLOW, MLFLOW_ADDRESS, S3_ADDRESS, S3_DEFAULT
from planning.agents.measurement_records import Per, subject
from planning.platform.queues import OPEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from components.acceptance.job_context import Ground
    from components.acceptance.model import Manifest

STAGE: Final = 50
API_SECONDS: Final = 1200
AUTHORITY: Final = "/etc/s3-ca"
PIPELINES: Final = f"http://ml-pipeline.{KUBEFLOW}.svc.cluster.local:8888"
TOKENS: Final = "/var/run/secrets/kubeflow/pipelines"
TRY: Final = ("python3", "-m", services.__name__)
PREDICTOR: Final = "kserve-container"  # what KServe calls the container of a model of one's own
MODEL_PORT: Final = 8080


def home(ground: Ground) -> str:
    """Namespace of the first workload that a team works in; "" where there is none."""
    platform = ground.spec.platform
    mine = workloads(ground.spec)
    named_first = [work for team in (platform.teams if platform else ()) for work in team.workloads if work in mine]
    return namespace(named_first[0]) if named_first else ""


def s3(ground: Ground) -> PlannedJob | None:
    """An object put, got and deleted with the keys of the team, which reach its own bucket and no other."""
    keyed: Manifest = {"name": "ca", "secret": {"secretName": "s3-ca", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
    return _within(
        ground,
        "s3",
        url=S3_ADDRESS,
        given=({"secretRef": {"name": f"{S3_DEFAULT}-store"}},),
        mounts={"ca": AUTHORITY},
        volumes=(keyed,),
    )


def mlflow(ground: Ground) -> PlannedJob | None:
    """A run logged and read back by MLflow's own interface."""
    return _within(ground, "mlflow", url=MLFLOW_ADDRESS)


def pipeline(ground: Ground) -> PlannedJob | None:
    """A pipeline sent, and seen through to its end, as the account that runs the team's pipelines."""
    source = {"serviceAccountToken": {"path": "token", "expirationSeconds": 7200, "audience": "pipelines.kubeflow.org"}}
    token: Manifest = {"name": "pipelines-token", "projected": {"sources": [source]}}
    return _within(
        ground,
        "pipeline",
        url=PIPELINES,
        account=EDITOR,
        env=(
            {"name": "KF_PIPELINES_SA_TOKEN_PATH", "value": f"{TOKENS}/token"},
            {"name": "NAMESPACE", "value": home(ground)},
            {"name": "STEP_IMAGE", "value": ground.picture(PYTHON)},
        ),
        mounts={"pipelines-token": TOKENS},
        volumes=(token,),
    )


def serving(ground: Ground) -> PlannedJob:
    """A model of three lines behind KServe, and somebody who asks it."""
    name = named("serving", ground.run, most=40)
    marked = labels(ground, name)
    model: Manifest = {
        **head("serving.kserve.io/v1beta1", "InferenceService", name, labels=marked),
        "spec": {"predictor": {"minReplicas": 1, **_model(ground)}},
    }
    url = f"http://{name}-predictor.{NAMESPACE}.svc.cluster.local/v1/models/model:predict"
    job = job_object(ground, name, _asking(ground, "serving", url), seconds=API_SECONDS)
    return _plan_call(ground, "serving", name, (model, job), namespace_=NAMESPACE)


def _model(ground: Ground) -> Manifest:
    command = ["python3", f"{SCRIPT_FOLDER}/model.py", str(MODEL_PORT)]
    one = container(ground, Pod(image=PYTHON, command=command), name=PREDICTOR)
    return {
        "serviceAccountName": ACCOUNT,
        "automountServiceAccountToken": False,
        "securityContext": pod_security(root=False),
        "containers": [{**one, "ports": [{"containerPort": MODEL_PORT, "protocol": "TCP"}]}],
        "volumes": code_volumes(),
    }


def _asking(ground: Ground, service: str, url: str) -> Pod:
    said = ("--placement", ground.spec.placement.name, "--service", service, "--url", url)
    return Pod(image=PYTHON, command=[*TRY, *said])


def _within(
    ground: Ground,
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
    where = home(ground)
    if not where:
        return None
    name = named(service, ground.run)
    said = ("--placement", ground.spec.placement.name, "--service", service, "--url", url)
    pod = Pod(
        image=IMAGES.get(service, PYTHON),
        command=[*TRY, *said],
        env=env,
        given=given,
        mounts=mounts or {},
        volumes=volumes,
        account=account,
        code=name,
    )
    code = code_object(name, namespace=where, labels=labels(ground, name))
    job = job_object(ground, name, pod, seconds=API_SECONDS, namespace=where, queue=OPEN)
    return _plan_call(ground, service, name, (code, job), namespace_=where)


def _plan_call(
    ground: Ground, service: str, name: str, objects: tuple[Manifest, ...], *, namespace_: str
) -> PlannedJob:
    return PlannedJob(
        name=name,
        checks=("smoke",),
        subject=subject(Per.SERVICE, service, placement=ground.spec.placement.name),
        objects=objects,
        awaited=reference(objects[-1]),
        done=JOB_DONE,
        failed=JOB_FAILED,
        log=Log(
            namespace=namespace_,
            selector=f"{selector(ground, name)},batch.kubernetes.io/job-name={name}",
            container=CONTAINER,
        ),
        seconds=API_SECONDS,
        stage=STAGE,
        removed=backwards(objects),
    )


IMAGES: Final = {"mlflow": MLFLOW, "s3": MLFLOW}
