"""Storage: what must be provisioned so that the asked size can be used, how fast it is read, and over which network."""

from __future__ import annotations

from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Final

from planning.checklist.model.workload import FineTuning, Training
from planning.sizing import assumptions
from planning.sizing.demand import figure, unknown
from planning.sizing.workloads.memory import burst_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.checklist.model.checklist import Checklist, DataSet, TierAsk
    from planning.sizing.demand import SizingFigure


SUBJECT: Final = "storage"
# Only the warm tier is a shared file system; a catalog's own share for an engine goes before these.
USABLE: Final[Mapping[str, assumptions.SizingAssumption]] = {
    "hot": assumptions.ALL_USABLE,
    "warm": assumptions.SHARED_FILES_USABLE,
    "cold": assumptions.ALL_USABLE,
    "archive": assumptions.ALL_USABLE,
}


def calculate_provisioned_gb(
    usable_gb: Decimal | int, usable_share: Decimal, *, minimum_gb: int = 0, step_gb: int = 1
) -> int:
    """GB to rent so that `usable_gb` can be written: the least that is sold, or a whole number of steps.

    Raises:
        ValueError: a share that is not within (0, 1], or a step below 1.
    """
    if not 0 < usable_share <= 1 or step_gb < 1:
        raise ValueError(f"a usable share lies within (0, 1], a step is at least 1 GB: {usable_share}, {step_gb}")
    wanted = usable_gb / usable_share
    return minimum_gb if wanted <= minimum_gb else ceil(wanted / step_gb) * step_gb


def read_gb_per_s(dataset: DataSet) -> Decimal:
    """GB/s of reads, sustained, that pass over the data set as often as asked."""
    return dataset.size * dataset.passes_per_day / assumptions.SECONDS_PER_DAY


def figures(checklist: Checklist) -> Iterator[SizingFigure]:
    """Every figure of the tiers and of the data set."""
    for tier, asked in tiers(checklist).items():
        yield _tier_figure(tier, asked)
    if checklist.dataset is not None:
        yield from _dataset_figures(checklist.dataset)


def tiers(checklist: Checklist) -> Mapping[str, TierAsk]:
    asked = checklist.storage
    named = {"hot": asked.hot, "warm": asked.warm, "cold": asked.cold, "archive": asked.archive}
    return {name: tier for name, tier in named.items() if tier is not None}


def _tier_figure(tier: str, asked: TierAsk) -> SizingFigure:
    rule = USABLE[tier]
    return figure(
        subject=SUBJECT,
        name=f"{tier} tier provisioned",
        value=calculate_provisioned_gb(asked.size, rule.value),
        unit="GB on each node" if tier == "hot" else "GB",
        formula="usable size / usable share, before the steps it is sold in",
        inputs={"usable size in GB": asked.size, "usable share": rule.value},
        source=rule.source,
    )


def _dataset_figures(dataset: DataSet) -> Iterator[SizingFigure]:
    yield figure(
        subject=SUBJECT,
        name="data set read bandwidth",
        value=read_gb_per_s(dataset),
        unit="GB/s sustained",
        formula="size x passes per day / 86400 s",
        inputs={"size in GB": dataset.size, "passes per day": dataset.passes_per_day},
        source=assumptions.TEXT_IO,
    )
    name, unit = "files opened", "files per second"
    if dataset.file_count is None:
        yield unknown(subject=SUBJECT, name=name, unit=unit, missing="dataset.file_count", source=assumptions.TEXT_IO)
        return
    yield figure(
        subject=SUBJECT,
        name=name,
        value=dataset.file_count * dataset.passes_per_day / assumptions.SECONDS_PER_DAY,
        unit=unit,
        formula="files x passes per day / 86400 s",
        inputs={"files": dataset.file_count, "passes per day": dataset.passes_per_day},
        source=assumptions.TEXT_IO,
    )


# Purpose of the tier -> kinds of workload whose nodes hold a copy.
KINDS_BY_PURPOSE: Final[Mapping[str, tuple[str, ...]]] = {
    "data": ("training", "fine_tuning", "batch"),
    "checkpoints": ("training", "fine_tuning"),
    "code": ("training", "fine_tuning", "notebooks"),
    "models": ("inference",),
    "archive": (),
}


def hot_gb(checklist: Checklist, *, kind: str) -> Decimal:
    """GB of local NVMe on each node of a pool of this kind."""
    hot = checklist.storage.hot
    if hot is None or kind not in KINDS_BY_PURPOSE[hot.purpose]:
        return Decimal(0)
    # In full on every node: each holds its own copy of the tier.
    return hot.size


NETWORK: Final = "network"


def calculate_advertised_gbps(needed_gbps: Decimal) -> Decimal:
    """The label to ask for: a network delivers at most 80% of it."""
    return needed_gbps / assumptions.NETWORK_SHARE.value


def network_figures(checklist: Checklist) -> Iterator[SizingFigure]:
    """Every figure of the edge and of the way to the storage."""
    traffic = checklist.traffic
    for name, rate in (("sustained", traffic.sustained), ("burst", traffic.burst)):
        if rate is not None:
            yield _label_figure(f"{name} rate to ask for at the edge", {"rate in Gbps": rate}, needed=rate)
    reads = read_gb_per_s(checklist.dataset) if checklist.dataset is not None else Decimal(0)
    writes = _largest_burst(checklist)
    if reads or writes:
        yield _label_figure(
            "rate to ask for between nodes and storage",
            {"data set reads in GB/s": reads, "largest checkpoint burst in GB/s": writes},
            needed=(reads + writes) * assumptions.BITS_PER_BYTE,
        )


def _largest_burst(checklist: Checklist) -> Decimal:
    jobs = (workload for workload in checklist.workloads if isinstance(workload, Training | FineTuning))
    return max((burst_of(job) or Decimal(0) for job in jobs), default=Decimal(0))


def _label_figure(name: str, inputs: dict[str, Decimal], *, needed: Decimal) -> SizingFigure:
    return figure(
        subject=NETWORK,
        name=name,
        value=calculate_advertised_gbps(needed),
        unit="Gbps, all nodes together",
        formula="what is needed / 0.8" if len(inputs) == 1 else "(reads + writes) x 8 / 0.8",
        inputs=dict(inputs),
        source=assumptions.NETWORK_SHARE.source,
    )
