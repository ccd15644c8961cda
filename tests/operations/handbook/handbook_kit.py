"""Locks and facts of every stack under stacks/, made once for each process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from catalogs.catalog import Catalog, load
from components.platform.building_blocks.artifact_mirror import ArtifactMirror
from operations.handbook.facts import HandbookFacts
from operations.handbook.stack_outputs import ClusterOutputs
from planning.checklist.model.checklist import Checklist
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Lock

REPOSITORY = Path(__file__).parents[3]
STACKS = REPOSITORY / "stacks"
TODAY = date(2026, 11, 21)
NAMES = tuple(
    sorted(
        path.parent.name
        for path in STACKS.glob("*/checklist.yaml")
        if not path.read_text(encoding="utf-8").startswith("# A clone of ")
    )
)


@dataclass(frozen=True)
class Scene:
    """A stack with an accepted option."""

    lock: Lock
    checklist: Checklist
    facts: HandbookFacts


@cache
def catalog() -> Catalog:
    return load()


@cache
def scene(name: str) -> Scene:
    """The first option of a stack's quote, accepted."""
    checklist = read_file(STACKS / name / "checklist.yaml")
    answer = quote(checklist, checklist_digest="", stack=name, market=Market(catalog()), today=TODAY)
    accepted = lock(
        answer,
        answer.options[0],
        ceiling=ceilings(checklist),
        contract_months=checklist.contract.months,
        residency=checklist.where.residency,
    )
    return Scene(accepted, checklist, facts(accepted, checklist))


def facts(accepted: Lock, checklist: Checklist, outputs: ClusterOutputs | None = None) -> HandbookFacts:
    return HandbookFacts(
        lock=accepted,
        checklist=checklist,
        catalog=catalog(),
        shelf=ArtifactMirror(),
        outputs=outputs or ClusterOutputs(),
    )


def altered(facts: HandbookFacts, **computed: object) -> HandbookFacts:
    """The same facts, with other values for what is computed of the lock."""
    found = replace(facts)
    vars(found).update(computed)
    return found


def with_agreement(name: str, agreement: object) -> HandbookFacts:
    """Facts of a stack whose checklist has another agreement."""
    found = scene(name)
    return facts(found.lock, found.checklist.model_copy(update={"agreement": agreement}))


def with_part(name: str, *parts: str, gone: tuple[str, ...] = ()) -> HandbookFacts:
    """Facts of a stack that has other parts, too."""
    found = scene(name).facts
    return altered(found, parts=(found.parts | set(parts)) - set(gone))
