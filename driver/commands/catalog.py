"""`atoll catalog`: the facts behind every price, and whether they are sound."""

from collections import Counter
from difflib import get_close_matches
from typing import Annotated

import typer

from catalogs.check import faults
from catalogs.model import Item, Price
from catalogs.reader import Catalog
from driver import arguments
from driver.prices import price_book
from driver.render.facts import accelerator_parts, flags_table, machine_parts, prices_table, providers_table
from driver.screen import note, progress, show
from planning.errors import InputError

app = typer.Typer(no_args_is_help=True, help="Look up facts and prices, and check them.")

FAULTY = 1


@app.command("list")
def list_providers(*, prices: arguments.Book = arguments.CURRENT_BOOK) -> int:
    """Providers, and how much is known of each."""
    catalog = price_book(prices)
    with progress("counting prices"):
        table = providers_table(catalog)
    show(f"Price book {prices}, newest price of {catalog.prices.newest}", table)
    return 0


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(metavar="MACHINE|ITEM|ACCELERATOR", show_default=False)],
    *,
    prices: arguments.Book = arguments.CURRENT_BOOK,
    own: arguments.OwnBook = "",
) -> int:
    """Everything known of a machine, a service item or an accelerator, with every price and its source."""
    catalog = price_book(prices, own=own)
    machines = [machine for machine in catalog.machines.values() if machine.name == name]
    accelerators = [each for each in catalog.accelerators.values() if name in (each.name, each.family)]
    for machine in machines:
        show(*machine_parts(catalog, machine))
    for accelerator in accelerators:
        show(*accelerator_parts(catalog, accelerator))
    if name in set(Item):
        show(prices_table(catalog, _item_prices(catalog, name)))
    elif not machines and not accelerators:
        raise _unknown(catalog, name)
    return 0


@app.command("check")
def check() -> int:
    """Validate every row; exit code 1 on faults."""
    with progress("checking every row"):
        found = faults()
    for fault in found:
        note(str(fault))
    catalog = price_book()
    offers = catalog.offers(accelerated=True)
    counted = Counter(_flag(flag) for offer in offers for flag in offer.flags)
    show(f"{len(offers):,} offers of machines with accelerators", flags_table(counted.most_common()))
    show(f"{len(found)} faults" if found else "no faults")
    return FAULTY if found else 0


def _flag(flag: str) -> str:
    """A flag without its figure, so that equal ones are counted together."""
    return flag.partition(" by ")[0]


def _item_prices(catalog: Catalog, item: str) -> list[Price]:
    return [price for provider in catalog.providers for price in catalog.prices.of_item(provider=provider, item=item)]


def _unknown(catalog: Catalog, name: str) -> InputError:
    names = {machine for _, machine in catalog.machines} | set(catalog.accelerators) | {item.value for item in Item}
    near = get_close_matches(name, names, n=3)
    return InputError(
        f"the catalog has no machine, item or accelerator {name!r}",
        hint=f"did you mean {' or '.join(near)}?" if near else "atoll catalog list says what there is",
    )
