"""`atoll preflight` and `atoll orphans`: whether the machines of a stack may start, and what a destroyed one left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.terminal import options
from cli.terminal.console import progress
from cli.terminal.options import deliver
from cli.views.cloud_checks import leftovers_parts, preflight_parts
from operations.clouds.registry import Asked, leftovers_of, read_report
from operations.plans.price_book import price_book
from operations.project.accepted_lock import read_accepted_lock, read_stack_lock
from operations.project.stack_config import read_config, reservations
from operations.project.workspace import require_stack
from planning.cloud_checks.cloud_reports import CloudReport, with_catalog
from planning.cloud_checks.orphans import leftovers_form
from planning.cloud_checks.preflight import FactVerdict, placement_facts, strays, summarize_facts
from planning.values.errors import InputError, UndeterminedError
from planning.values.json_format import to_json_fields

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from catalogs.catalog import Catalog
    from planning.cloud_checks.orphans import OrphanReport
    from planning.cloud_checks.preflight import PlacementFacts
    from planning.spec.cluster import ClusterSpec


NO_CLOUD = "no cloud was asked"
EXIT_CODES = {
    FactVerdict.RIGHT: 0,
    FactVerdict.WRONG: InputError.exit_code,
    FactVerdict.UNKNOWN: UndeterminedError.exit_code,
}


def run_preflight(
    stack: options.Stack,
    *,
    no_cloud: Annotated[bool, typer.Option("--no-cloud", help="Ask no cloud; say what the catalog knows.")] = False,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
    today: options.Today = "",
) -> int:
    """Say of each pool whether its quota, its offer and its reservation fit.

    Exit code: 0 where all of it does, 1 where something is short, not offered or does not fit, 11 where nothing is
    wrong and something is not known.
    """
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack, names=False)
    config = read_config(project.stack_config(stack)).values
    named = reservations(config)
    asked = [
        Asked(stack=lock.stack, spec=spec, reservations=_own(spec, named), config=config) for spec in lock.placements
    ]
    catalog, day = price_book(prices, own=own, today=options.day(today)), options.day(today)
    with progress(f"asking the clouds of {stack}"):
        facts = tuple(_facts(each, catalog=catalog, today=day, no_cloud=no_cloud) for each in asked)
    found = summarize_facts(lock.stack, facts, strays=strays(lock.placements, reservations=named))
    deliver(to_json_fields(found), as_json=as_json, output=output, parts=lambda: preflight_parts(found))
    return EXIT_CODES[FactVerdict(found.standing)]


def _own(spec: ClusterSpec, named: Mapping[str, str]) -> dict[str, str]:
    return {pool.name: named[pool.name] for pool in spec.pools if pool.name in named}


def _facts(asked: Asked, *, catalog: Catalog, today: date, no_cloud: bool) -> PlacementFacts:
    told = CloudReport(silence=NO_CLOUD) if no_cloud else read_report(asked)
    known = with_catalog(told, asked.spec, catalog=catalog)
    return placement_facts(asked.spec, known, reservations=asked.reservations, today=today)


def run_orphans(
    stack: options.Stack,
    *,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """List what is still there by the stack's tag, with its price; data that is kept on purpose stands apart.

    Exit code: 0 where nothing that costs was forgotten, 1 where something was, 11 where a cloud did not answer.
    """
    project = require_stack(stack)
    lock = read_stack_lock(project, stack)
    config = read_config(project.stack_config(stack)).values
    catalog = price_book(prices, own=own, today=options.day(""))
    with progress(f"asking the clouds of {stack}"):
        left = leftovers_of(lock, catalog=catalog, config=config)
    deliver(leftovers_form(left), as_json=as_json, output=output, parts=lambda: leftovers_parts(left))
    return _exit_code(left)


def _exit_code(left: OrphanReport) -> int:
    if left.forgotten:
        return InputError.exit_code
    return UndeterminedError.exit_code if left.unanswered else 0
