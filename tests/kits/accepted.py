"""Every example of the project with the lock of its last answer: what documents are made from."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path

from tracing import Known

from catalogs.catalog import Catalog, load
from operations.plans.quote import Wanted, narrow_checklist
from planning.checklist.model.checklist import Checklist, checklist_digest
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import Quote, lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Lock, to_text

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/checklist.yaml"))
TODAY = date(2026, 11, 9)


@cache
def catalog() -> Catalog:
    return load()


@cache
def checklist(example: str, *, provider: str = "") -> Checklist:
    """An example, of one provider alone where one is named."""
    asked = read_file(ROOT / "stacks" / example / "checklist.yaml")
    return narrow_checklist(asked, Wanted((provider,) if provider else ()))


@cache
def quoted(example: str, *, provider: str = "") -> Quote:
    asked = checklist(example, provider=provider)
    digest = checklist_digest(asked)
    return quote(asked, checklist_digest=digest, stack=example, market=Market(catalog()), today=TODAY)


@cache
def accepted(example: str, *, option: int = -1, provider: str = "") -> Lock:
    """The lock of an answer: the last one, unless another is named by its place among the options."""
    asked = checklist(example, provider=provider)
    found = quoted(example, provider=provider)
    return lock(found, found.options[option], ceiling=ceilings(asked), contract_months=asked.contract.months)


def known(of: Lock, asked: Checklist) -> Known:
    """What figures may be quoted from."""
    return Known(json.loads(to_text(of)), asked.model_dump(mode="json"), {})
