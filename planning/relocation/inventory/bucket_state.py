"""What buckets and tiers hold, and what its loss would mean: a table with reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import Loss, Treatment

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRow:
    """What a bucket of a user of the object store holds."""

    title: str
    loss: Loss
    treatment: Treatment
    reason: str


_RETAINED: Final = "the source keeps it until its own retention ends; the target writes its own from the first minute"
# User of the object store (components/platform/building_blocks/names.py STORE_USERS) to what its bucket holds.
STORE_USERS: Final[Mapping[str, BucketRow]] = {
    "mlflow": BucketRow(
        title="artifacts and models of MLflow",
        loss=Loss.IRREPLACEABLE,
        treatment=Treatment.MOVED,
        reason="models and what runs logged: nothing else has them",
    ),
    "loki": BucketRow(title="logs", loss=Loss.RECREATABLE, treatment=Treatment.STAYS, reason=_RETAINED),
    "tempo": BucketRow(title="traces of requests", loss=Loss.RECREATABLE, treatment=Treatment.STAYS, reason=_RETAINED),
    "pipelines": BucketRow(
        title="specs and artifacts of Pipelines",
        loss=Loss.IRREPLACEABLE,
        treatment=Treatment.MOVED,
        reason="specs of pipelines are here and not in the database (kubeflow/website#726)",
    ),
    "backups": BucketRow(title="backups", loss=Loss.RECREATABLE, treatment=Treatment.STAYS, reason=_RETAINED),
    "airflow": BucketRow(
        title="logs of Airflow's tasks",
        loss=Loss.LARGE,
        treatment=Treatment.MOVED,
        reason="pages of old runs show them; nothing computes with them",
    ),
}
TEAM_BUCKET: Final = BucketRow(
    title="bucket of a team",
    loss=Loss.IRREPLACEABLE,
    treatment=Treatment.MOVED,
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
