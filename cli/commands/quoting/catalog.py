"""`atoll catalog`: the facts behind every price, and whether they are sound."""

from collections import Counter
from difflib import get_close_matches
from typing import Annotated

import typer

from catalogs.catalog import Catalog
from catalogs.model import Item
from catalogs.validation import faults
from cli.commands.quoting.catalog_coverage import show_coverage
from cli.commands.quoting.catalog_refresh import describe_refresh, refresh_prices
from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.options import deliver
from cli.views.catalog import accelerator_parts, flags_table, machine_parts, prices_table, providers_table, worth_table
from operations.plans.price_book import price_book
from planning.quoting.catalog_report import facts_form, providers_form, worths_form
from planning.values.errors import InputError

app = typer.Typer(no_args_is_help=True, help="Look up facts and prices, and check them.")

app.command("coverage")(show_coverage)
app.command("refresh")(refresh_prices)
app.command("describe-refresh")(describe_refresh)

FAULTY = 1


@app.command("list")
def list_providers(
    *,
    prices: options.Book = options.CURRENT_BOOK,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Providers, and how much is known of each."""
    catalog = price_book(prices)
    with progress("counting prices"):
        deliver(
            providers_form(catalog),
            as_json=as_json,
            output=output,
            parts=lambda: (
                f"Price book {prices}, newest price of {catalog.prices.newest}",
                providers_table(catalog),
            ),
        )
    return 0


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(metavar="MACHINE|ITEM|ACCELERATOR", show_default=False)],
    *,
    prices: options.Book = options.CURRENT_BOOK,
    own: options.OwnBook = "",
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """Everything known of a machine, a service item or an accelerator, with every price and its source."""
    catalog = price_book(prices, own=own, today=options.day(""))
    machines = [machine for machine in catalog.machines.values() if machine.name == name]
    accelerators = [each for each in catalog.accelerators.values() if name in (each.name, each.family)]
    if name not in set(Item) and not machines and not accelerators:
        raise _unknown(catalog, name)
    prices_of_item = [
        price for provider in catalog.providers for price in catalog.prices.of_item(provider=provider, item=name)
    ]
    deliver(
        facts_form(machines=machines, accelerators=accelerators, prices=prices_of_item),
        as_json=as_json,
        output=output,
        parts=lambda: (
            *(part for machine in machines for part in machine_parts(catalog, machine)),
            *(part for accelerator in accelerators for part in accelerator_parts(catalog, accelerator)),
            *((prices_table(catalog, prices_of_item),) if name in set(Item) else ()),
        ),
    )
    return 0


@app.command("price-performance")
def rank_price_performance(
    precision: Annotated[str, typer.Option("--precision", help="bf16, fp16, fp8, tf32, ...")] = "bf16",
    *,
    prices: options.Book = options.CURRENT_BOOK,
    as_json: options.AsJson = False,
    output: options.Output = None,
) -> int:
    """What 1000 TFLOPS cost for an hour on each GPU machine, on demand, least first."""
    from planning.quoting.price_performance import worth_of_machines  # noqa: PLC0415 - it loads the model of a quote

    catalog = price_book(prices)
    found = worth_of_machines(catalog, precision=precision)
    if not found:
        raise InputError(f"no accelerator has a peak in {precision!r}", hint="bf16, fp16, fp8, tf32, int8 or fp64")
    deliver(
        worths_form(prices=prices, precision=precision, worths=found),
        as_json=as_json,
        output=output,
        parts=lambda: (f"USD an hour for 1000 TFLOPS in {precision}, on demand", worth_table(found)),
    )
    return 0


@app.command("check")
def check(*, as_json: options.AsJson = False, output: options.Output = None) -> int:
    """Validate every row; exit code 1 on faults."""
    with progress("checking every row"):
        found = faults()
    offers = price_book().offers(accelerated=True)
    counted = Counter(_flag(flag) for offer in offers for flag in offer.flags)
    if not as_json:
        for fault in found:
            note(str(fault))
    deliver(
        {"offers": len(offers), "flags": dict(counted), "faults": list(map(str, found))},
        as_json=as_json,
        output=output,
        parts=lambda: (
            f"{len(offers):,} offers of machines with accelerators",
            flags_table(counted.most_common()),
            f"{len(found)} faults" if found else "no faults",
        ),
    )
    return FAULTY if found else 0


def _flag(flag: str) -> str:
    """The words of a flag."""
    # Without its figure: equal faults of different size are counted as one.
    return flag.partition(" by ")[0]


def _unknown(catalog: Catalog, name: str) -> InputError:
    names = {machine for _, machine in catalog.machines} | set(catalog.accelerators) | {item.value for item in Item}
    near = get_close_matches(name, names, n=3)
    return InputError(
        f"the catalog has no machine, item or accelerator {name!r}",
        hint=f"did you mean {' or '.join(near)}?" if near else "atoll catalog list says what there is",
    )
