"""`atoll preflight`: whether a stack's machines may start: quota, offer and reservation, as three facts."""

from typing import TYPE_CHECKING, Annotated

import typer

from driver import arguments
from driver.accepted_lock import accepted_lock
from driver.cloud.registry import Asked, told_of
from driver.offline.stack_config import read_config
from driver.output_files import deliver
from driver.prices import price_book
from driver.project import known_stack
from driver.render.preflight import preflight_parts
from driver.reservations import reservations
from driver.screen import progress
from planning.errors import CannotTellError, InputError
from planning.preflight.catalogued import with_catalog
from planning.preflight.check import placement_facts, strays
from planning.preflight.facts import Preflight, Standing
from planning.preflight.form import preflight_form
from planning.preflight.told import Told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from catalogs.reader import Catalog
    from planning.preflight.facts import PlacementFacts
    from planning.spec import ClusterSpec

NO_CLOUD = "no cloud was asked"
EXIT_CODES = {
    Standing.RIGHT: 0,
    Standing.WRONG: InputError.exit_code,
    Standing.UNKNOWN: CannotTellError.exit_code,
}


def run_preflight(
    stack: arguments.Stack,
    *,
    no_cloud: Annotated[bool, typer.Option("--no-cloud", help="Ask no cloud; say what the catalog knows.")] = False,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
    today: arguments.Today = "",
) -> int:
    """Say of each pool whether its quota, its offer and its reservation fit.

    Exit code: 0 where all of it does, 1 where something is short, not offered or does not fit, 11 where nothing is
    wrong and something is not known.
    """
    project = known_stack(stack)
    lock = accepted_lock(project, stack, names=False)
    config = read_config(project.stack_config(stack)).values
    named = reservations(config)
    asked = [
        Asked(stack=lock.stack, spec=spec, reservations=_own(spec, named), config=config) for spec in lock.placements
    ]
    catalog, day = price_book(prices, own=own, today=arguments.day(today)), arguments.day(today)
    with progress(f"asking the clouds of {stack}"):
        facts = tuple(_facts(each, catalog=catalog, today=day, no_cloud=no_cloud) for each in asked)
    found = Preflight(stack=lock.stack, placements=facts, strays=strays(lock.placements, reservations=named))
    deliver(preflight_form(found), as_json=as_json, output=output, parts=lambda: preflight_parts(found))
    return EXIT_CODES[found.standing]


def _own(spec: "ClusterSpec", named: "Mapping[str, str]") -> dict[str, str]:
    """The reservations of one placement's pools."""
    return {pool.name: named[pool.name] for pool in spec.pools if pool.name in named}


def _facts(asked: Asked, *, catalog: "Catalog", today: "date", no_cloud: bool) -> "PlacementFacts":
    told = Told(silence=NO_CLOUD) if no_cloud else told_of(asked)
    known = with_catalog(told, asked.spec, catalog=catalog)
    return placement_facts(asked.spec, known, reservations=asked.reservations, today=today)
