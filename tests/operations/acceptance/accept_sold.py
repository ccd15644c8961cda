"""Stacks of the repository, an option of each accepted, without a command or a file."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from catalogs.catalog import Catalog, load
from operations.acceptance.request import AcceptanceRequest
from planning.acceptance.expectations import Expectations, build_expectations
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.option import ceilings
from planning.quoting.quote import lock
from planning.quoting.quote_builder import quote
from planning.spec.lock import Lock

ROOT = Path(__file__).parents[3]
STACKS = ("demo", "pretrain-7b", "existing-lambda", "gcp-train", "coreweave-pretrain", "spanning-two", "inference-247")


class Sold(NamedTuple):
    lock: Lock
    expected: Expectations


@cache
def catalog() -> Catalog:
    return load()


@cache
def sold(stack: str) -> Sold:
    """The first option of a stack, accepted; its digest does not matter here."""
    checklist = read_file(ROOT / "stacks" / stack / "checklist.yaml")
    market = Market(catalog())
    found = quote(checklist, checklist_digest="", stack=stack, market=market, today=date(2026, 11, 21))
    option = next((each for each in found.options if "same_cloud" in each.views), found.options[0])
    accepted = lock(found, option, ceiling=ceilings(checklist), contract_months=checklist.contract.months)
    return Sold(accepted, build_expectations(accepted, catalog(), checklist))


def asked_of(stack: str, folder: Path) -> AcceptanceRequest:
    it = sold(stack)
    return AcceptanceRequest(
        folder=folder, lock=it.lock, digest="sha256:" + "0" * 64, catalog=catalog(), expected=it.expected
    )
