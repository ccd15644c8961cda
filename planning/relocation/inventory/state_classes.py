"""What each platform part, bucket and tier keeps, and what its loss would mean: a table with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import AssetKind, AssetTreatment, Loss

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class StateClass:
    """One thing that a part keeps.

    Args:
        key: as in `Thing.key`.
        locator: namespace/name at the source.
        disk: whether the volumes that the lock foresees for the part are where it lies.
    """

    key: str
    title: str
    kind: AssetKind
    loss: Loss
    reason: str
    treatment: AssetTreatment = AssetTreatment.MOVED
    locator: str = ""
    disk: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """What a platform part keeps.

    Args:
        reason: why there is nothing of it to move, where it keeps nothing.
    """

    reason: str = ""
    keeps: tuple[StateClass, ...] = ()


def _nothing(reason: str) -> PartRow:
    return PartRow(reason=reason)


_PROGRAM: Final = _nothing("made by the program from the lock, at the target as at the source")
_STATELESS: Final = _nothing("keeps nothing: what it serves is in the cluster's objects or in another part's database")
_NODE: Final = _nothing("runs on nodes and keeps nothing of its own")
_VIEW: Final = _nothing("shows what other parts keep")


def _database(part: str, title: str, kind: AssetKind, locator: str, reason: str) -> StateClass:
    return StateClass(
        key=f"database/{part}",
        title=title,
        kind=kind,
        loss=Loss.IRREPLACEABLE,
        reason=reason,
        locator=locator,
        disk=True,
    )


def _store(name: str) -> PartRow:
    return PartRow(
        keeps=(
            StateClass(
                key=f"volumes/{name}",
                title="drives of the object store",
                kind=AssetKind.VOLUME,
                loss=Loss.RECREATABLE,
                treatment=AssetTreatment.MADE_ANEW,
                reason="its buckets are moved object by object, into a store that the target makes",
                locator="object-store",
                disk=True,
            ),
        )
    )


# Name in catalogs/software/parts.csv to what it keeps. Databases and volumes as the parts of components/platform make
# them; what is excluded follows research/policy_migration.md section 3.3.
PARTS: Final[Mapping[str, PartRow]] = {
    "namespaces": _PROGRAM,
    "cert_manager": _nothing("certificates are issued anew: the target's authority is its own"),
    "istio": _STATELESS,
    "kubeflow_base": _PROGRAM,
    "oauth2_proxy": _nothing("sessions end: people sign in once more"),
    "dex": _nothing("people and clients come from the lock; sessions end"),
    "ingress": _nothing("certificates are issued anew; its names are in the inventory by themselves"),
    "knative": _nothing("what it runs is made from InferenceServices"),
    "dashboard": _nothing("Profiles and PodDefaults are made by the program; what people made is among the objects"),
    "notebooks": PartRow(
        keeps=(
            StateClass(
                key="volumes/notebooks",
                title="volumes of notebooks",
                kind=AssetKind.VOLUME,
                loss=Loss.IRREPLACEABLE,
                reason="people's code and notes, in volumes that they made themselves; no lock knows how many",
                locator="work-*",
            ),
        )
    ),
    "trainer": _nothing("jobs of training are started again; their checkpoints are in buckets"),
    "pipelines": PartRow(
        keeps=(
            _database(
                "pipelines",
                "database of Pipelines, with its metadata store",
                AssetKind.MYSQL,
                "kubeflow/mysql",
                "runs, schedules and lineage; the specs of pipelines are objects beside it",
            ),
        )
    ),
    "katib": PartRow(
        keeps=(
            _database(
                "katib", "database of Katib", AssetKind.MYSQL, "kubeflow/katib-mysql", "what each trial measured"
            ),
        )
    ),
    "kserve": _nothing("InferenceServices are among the objects of the cluster; models are in buckets"),
    "model_registry": PartRow(
        keeps=(
            _database(
                "model_registry",
                "database of the Hub",
                AssetKind.POSTGRESQL,
                "kubeflow/model-registry-db",
                "registered models and their versions",
            ),
        )
    ),
    "runtimes": _PROGRAM,
    "external_secrets": _nothing("secrets are fetched again from where they are kept"),
    "prometheus_crds": _PROGRAM,
    "prometheus": PartRow(
        keeps=(
            StateClass(
                key="volumes/prometheus",
                title="series of Prometheus",
                kind=AssetKind.VOLUME,
                loss=Loss.RECREATABLE,
                treatment=AssetTreatment.STAYS,
                reason="measurements of the source; they say nothing of the target and end with their retention",
                locator="observability",
                disk=True,
            ),
            StateClass(
                key="database/grafana",
                title="Grafana's own database",
                kind=AssetKind.VOLUME,
                loss=Loss.IRREPLACEABLE,
                reason="dashboards that people made: SQLite in its volume; those of the platform are made anew",
                locator="observability/prometheus-grafana",
            ),
        )
    ),
    "loki": PartRow(
        keeps=(
            StateClass(
                key="volumes/loki",
                title="logs that are not in the bucket yet",
                kind=AssetKind.VOLUME,
                loss=Loss.RECREATABLE,
                treatment=AssetTreatment.STAYS,
                reason="minutes of logs; they reach the bucket by themselves",
                locator="observability",
                disk=True,
            ),
        )
    ),
    "tempo": PartRow(
        keeps=(
            StateClass(
                key="volumes/tempo",
                title="traces that are not in the bucket yet",
                kind=AssetKind.VOLUME,
                loss=Loss.RECREATABLE,
                treatment=AssetTreatment.STAYS,
                reason="minutes of traces; they reach the bucket by themselves",
                locator="observability",
                disk=True,
            ),
        )
    ),
    "collector": _STATELESS,
    "opencost": _VIEW,
    "dashboards": _PROGRAM,
    "gpu_operator": _NODE,
    "device_plugin": _NODE,
    "dcgm_exporter": _NODE,
    "network_operator": _NODE,
    "efa_plugin": _NODE,
    "node_problem_detector": _NODE,
    "burn_in": _NODE,
    "acceptance": _nothing("its jobs leave nothing behind: results lie in the stack's folder"),
    "kueue": _nothing("queues are held during the freeze, and drained or submitted again"),
    "queues": _PROGRAM,
    "spend_guard": _PROGRAM,
    "teams": _PROGRAM,
    "postgres_operator": _nothing("each database lies beside what uses it"),
    "minio": _store("minio"),
    "seaweedfs": _store("seaweedfs"),
    "object_store": _PROGRAM,
    "mlflow": PartRow(
        keeps=(
            _database(
                "mlflow",
                "database of MLflow",
                AssetKind.POSTGRESQL,
                "mlflow/mlflow-database",
                "experiments, runs, models and traces, with the addresses of their artifacts",
            ),
        )
    ),
    "airflow": PartRow(
        keeps=(
            _database(
                "airflow",
                "database of Airflow",
                AssetKind.POSTGRESQL,
                "airflow/airflow-database",
                "runs, connections and variables",
            ),
        )
    ),
    "slurm_operator": _STATELESS,
    "slurm": PartRow(
        keeps=(
            StateClass(
                key="volumes/slurm",
                title="jobs that Slurm's controller holds",
                kind=AssetKind.VOLUME,
                loss=Loss.RECREATABLE,
                treatment=AssetTreatment.MADE_ANEW,
                reason="jobs that wait are submitted again; their data is in tiers and buckets",
                locator="slurm",
                disk=True,
            ),
        )
    ),
    "argo_cd": _nothing("applications come from Git"),
    "velero": _nothing("backups are a bucket of their own"),
    "ways_in": _nothing("keys of the VPN are made anew: people get new profiles"),
    "karpenter_crd": _PROGRAM,
    "karpenter": _NODE,
    "aws_load_balancer_controller": _STATELESS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRow:
    """What a bucket of a user of the object store holds."""

    title: str
    loss: Loss
    treatment: AssetTreatment
    reason: str


_RETAINED: Final = "the source keeps it until its own retention ends; the target writes its own from the first minute"
# User of the object store (components/platform/building_blocks/names.py STORE_USERS) to what its bucket holds.
STORE_USERS: Final[Mapping[str, BucketRow]] = {
    "mlflow": BucketRow(
        title="artifacts and models of MLflow",
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="models and what runs logged: nothing else has them",
    ),
    "loki": BucketRow(title="logs", loss=Loss.RECREATABLE, treatment=AssetTreatment.STAYS, reason=_RETAINED),
    "tempo": BucketRow(
        title="traces of requests", loss=Loss.RECREATABLE, treatment=AssetTreatment.STAYS, reason=_RETAINED
    ),
    "pipelines": BucketRow(
        title="specs and artifacts of Pipelines",
        loss=Loss.IRREPLACEABLE,
        treatment=AssetTreatment.MOVED,
        reason="specs of pipelines are here and not in the database (kubeflow/website#726)",
    ),
    "backups": BucketRow(title="backups", loss=Loss.RECREATABLE, treatment=AssetTreatment.STAYS, reason=_RETAINED),
    "airflow": BucketRow(
        title="logs of Airflow's tasks",
        loss=Loss.LARGE,
        treatment=AssetTreatment.MOVED,
        reason="pages of old runs show them; nothing computes with them",
    ),
}
TEAM_BUCKET: Final = BucketRow(
    title="bucket of a team",
    loss=Loss.IRREPLACEABLE,
    treatment=AssetTreatment.MOVED,
    reason="whatever people keep; nobody else knows what of it could be made again",
)

# What a tier is for (planning.checklist.model.checklist.TierAsk.purpose) to its class.
PURPOSES: Final[Mapping[str, tuple[Loss, str]]] = {
    "data": (Loss.LARGE, "data sets could be fetched or made again, at a price"),
    "checkpoints": (Loss.LARGE, "runs would begin again without them"),
    "code": (Loss.IRREPLACEABLE, "what people wrote"),
    "models": (Loss.IRREPLACEABLE, "models cost a training each"),
    "archive": (Loss.IRREPLACEABLE, "kept because it must be"),
    "artifacts": (Loss.IRREPLACEABLE, "what the experiment tracker keeps: nothing else has it"),
}
