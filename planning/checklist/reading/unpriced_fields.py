"""Fields that a checklist may have and that no price follows from: named, so that nobody waits for their effect.

A census in the tests gives every field another value: what changes no quote is listed here, or the test fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel

from planning.checklist.model.structure import kind_of
from planning.inputs.faults import spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.checklist.model.checklist import Checklist

    Path = tuple[str | int, ...]

_DOMAIN: Final = "it documents the work; sizes follow from the model, its tokens or samples, and measured rates"
_CACHE: Final = "only inference has a KV cache; a training is sized by its parameters"
_DIRECTION: Final = "it documents the traffic; egress_per_month and ingress_per_month are what is billed"
_BATCH: Final = "a batch job is billed by its hours, which include what an interruption costs"
UNUSED: Final[Mapping[str, str]] = {
    "dataset.files": "it documents the data; a file system is chosen by the storage tiers",
    "traffic.direction": _DIRECTION,
    "where.elsewhere.traffic.direction": _DIRECTION,
    "usage.growth.low": "the first month of a contract has no growth yet, and is the least that is billed",
    **{f"workloads[{kind}].domain": _DOMAIN for kind in ("training", "fine_tuning", "inference", "notebooks", "batch")},
    **{
        f"workloads[{kind}].model.{name}": _CACHE
        for kind in ("training", "fine_tuning")
        for name in ("layers", "kv_heads", "head_dim")
    },
    **{f"workloads[batch].checkpointing.{name}": _BATCH for name in ("enabled", "every_minutes", "stall_seconds")},
}
"""By the field's key, with the kind of a workload in brackets."""
RECORDED: Final[Mapping[str, str]] = {
    "agreement": "terms of the contract's annex, the acceptance and the handover",
    "usage.measured": "where the figures of usage are from, as `atoll usage import` writes it",
}
"""By the beginning of a field's key: what a document or a later command uses and no price follows from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedField:
    """A field that was written and changes no quote."""

    path: str
    reason: str


def find_unused(checklist: Checklist) -> tuple[UnusedField, ...]:
    """Every field that was written and that no quote changes with."""
    return tuple(_walk(checklist, (), ""))


def _walk(section: BaseModel, path: Path, key: str) -> Iterator[UnusedField]:
    for name in type(section).model_fields:
        if name not in section.model_fields_set:
            continue
        value, here = getattr(section, name), f"{key}.{name}" if key else name
        if here in UNUSED:
            yield UnusedField(path=spell((*path, name)), reason=UNUSED[here])
        elif isinstance(value, BaseModel):
            yield from _walk(value, (*path, name), here)
        elif isinstance(value, tuple):
            for index, each in enumerate(cast("tuple[object, ...]", value)):
                if isinstance(each, BaseModel):
                    kind = kind_of(type(each))
                    yield from _walk(each, (*path, name, index), f"{here}[{kind}]" if kind else here)
