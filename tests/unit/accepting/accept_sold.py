"""Stacks of the repository, an option of each accepted, without a command or a file."""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path
from typing import NamedTuple

from catalogs.reader import Catalog, load
from driver.accepting.asked import Asked
from planning.acceptance.expected import Expected, expected
from planning.checklist.reading import read_file
from planning.lock import Lock
from planning.options.market import Market
from planning.options.option import ceilings
from planning.quote import lock
from planning.quoting import quote

ROOT = Path(__file__).parents[3]
STACKS = ("demo", "pretrain-7b", "existing-lambda", "gcp-train", "coreweave-pretrain", "spanning-two", "inference-247")


class Sold(NamedTuple):
    lock: Lock
    expected: Expected


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
    return Sold(accepted, expected(accepted, catalog(), checklist))


def asked_of(stack: str, folder: Path) -> Asked:
    it = sold(stack)
    return Asked(folder=folder, lock=it.lock, digest="sha256:" + "0" * 64, catalog=catalog(), expected=it.expected)
