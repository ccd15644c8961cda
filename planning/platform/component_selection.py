"""Which platform parts a checklist asks for, and why the others are left out. No provider words: those come later."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from catalogs.software.model import Footprint
from catalogs.software.reader import parts
from planning.checklist.model.checklist import SMALL, size_of
from planning.checklist.model.vocabulary import Orchestration
from planning.checklist.model.workload import Inference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from catalogs.software.model import SoftwareComponent
    from planning.checklist.model.checklist import Checklist

MEBI_PER_GIBI: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentSelection:
    """The parts that run on system nodes, whichever provider it is.

    Args:
        size: small, standard or full.
        chosen: in catalog order.
        skipped: name to the reason.
    """

    size: str
    chosen: tuple[SoftwareComponent, ...]
    skipped: Mapping[str, str]

    @property
    def footprint(self) -> Footprint:
        """Their requests while the cluster is idle."""
        cores = sum(each.cpu_millicores for each in self.chosen)
        memory = sum(each.memory_mib for each in self.chosen)
        return Footprint(
            cores=Decimal(cores) / 1000,
            memory_gib=Decimal(memory) / MEBI_PER_GIBI,
            disk_gb=sum(each.disk_gb for each in self.chosen),
        )


def choose(checklist: Checklist) -> ComponentSelection:
    """Every part of the catalog, chosen or skipped with its reason; device parts follow from the provider."""
    size = size_of(checklist)
    chosen: list[SoftwareComponent] = []
    skipped: dict[str, str] = {}
    for part in parts().values():
        if part.owns:
            continue
        reason = _reason_against(part, checklist, size=size)
        if reason:
            skipped[part.name] = reason
        else:
            chosen.append(part)
    return ComponentSelection(size=size, chosen=tuple(chosen), skipped=skipped)


def _reason_against(part: SoftwareComponent, checklist: Checklist, *, size: str) -> str:
    """Why a part is left out; "" where it is installed."""
    asked = checklist.platform
    if part.name in asked.without:
        return "left out by platform.without"
    if part.name in asked.extra:
        return ""
    if part.name in ASKED_FOR:
        wanted, reason = ASKED_FOR[part.name]
        return "" if wanted(checklist) else reason
    return "" if size in part.sizes else f"not part of the {size} platform, and not asked for"


def _slurm(checklist: Checklist) -> bool:
    return checklist.orchestration is not Orchestration.KUBERNETES


def _serves(checklist: Checklist) -> bool:
    return any(isinstance(work, Inference) for work in checklist.workloads)


def scales_to_zero(checklist: Checklist) -> bool:
    """Whether a service goes down to no copy."""
    return any(isinstance(work, Inference) and work.scale_to_zero for work in checklist.workloads)


# Parts that follow from a line of the checklist, whatever the size: the line, and what is said without it.
ASKED_FOR: Final[Mapping[str, tuple[Callable[[Checklist], bool], str]]] = {
    "knative": (scales_to_zero, "no service scales to zero, so KServe runs in standard mode"),
    "kserve": (
        lambda asked: _serves(asked) or size_of(asked) != SMALL,
        "nothing is served; not part of the small platform",
    ),
    "mlflow": (lambda asked: asked.tracker == "mlflow", "another experiment tracker was chosen"),
    "minio": (lambda asked: asked.platform.object_store == "minio", "another object store was chosen"),
    "seaweedfs": (lambda asked: asked.platform.object_store == "seaweedfs", "another object store was chosen"),
    "airflow": (lambda asked: "airflow" in asked.schedulers, "schedulers does not ask for it"),
    "spend_guard": (lambda asked: asked.ceiling.usd_per_month is not None, "no ceiling a month is set"),
    "slurm_operator": (_slurm, "orchestration does not ask for Slurm"),
    "slurm": (_slurm, "orchestration does not ask for Slurm"),
    "argo_cd": (lambda asked: asked.platform.handover == "argo_cd", "platform.handover does not ask for it"),
}
