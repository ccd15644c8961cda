"""Every example of the project with the lock of its last answer: what documents are made from."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path

from tracing import Known

from catalogs.reader import Catalog, load
from planning.checklist import Checklist
from planning.checklist.reading import read_file
from planning.json_form import checklist_digest
from planning.lock import Lock, lock, to_text
from planning.options.market import Market
from planning.options.option import ceilings
from planning.quote import Quote
from planning.quoting import quote

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/checklist.yaml"))
TODAY = date(2026, 11, 9)


@cache
def catalog() -> Catalog:
    return load()


@cache
def checklist(example: str) -> Checklist:
    return read_file(ROOT / "stacks" / example / "checklist.yaml")


@cache
def quoted(example: str) -> Quote:
    asked = checklist(example)
    digest = checklist_digest(asked)
    return quote(asked, checklist_digest=digest, stack=example, market=Market(catalog()), today=TODAY)


def place_of(example: str, *, provider: str) -> int:
    """The place among the options of the first that is built at a provider."""
    options = quoted(example).options
    return next(at for at, option in enumerate(options) if option.placements[0].placement.provider == provider)


@cache
def accepted(example: str, *, option: int = -1) -> Lock:
    """The lock of an answer: the last one, unless another is named by its place among the options."""
    asked = checklist(example)
    found = quoted(example)
    return lock(found, found.options[option], ceiling=ceilings(asked), contract_months=asked.contract.months)


def known(of: Lock, asked: Checklist) -> Known:
    """What figures may be quoted from."""
    return Known(json.loads(to_text(of)), asked.model_dump(mode="json"), {})
