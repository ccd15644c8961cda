"""Facts of the catalog as tables: providers, and whatever one name stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.terminal.amounts import NOT_KNOWN, day, number, usd, usd_exact
from cli.terminal.tables import make_table
from planning.values.money import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from rich.console import RenderableType
    from rich.table import Table

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Machine, Price
    from planning.quoting.price_performance import Worth


PROVIDER_COUNTS: Final = ("GPU machines", "CPU machines", "regions", "prices", "newest")


def providers_table(catalog: Catalog) -> Table:
    rows = (_provider_cells(catalog, name) for name in sorted(catalog.providers))
    return make_table(("provider", "tier", "Kubernetes", *PROVIDER_COUNTS), rows, right=PROVIDER_COUNTS)


def _provider_cells(catalog: Catalog, name: str) -> tuple[str, ...]:
    provider = catalog.providers[name]
    machines = [machine for owner, machine in catalog.machines.items() if owner[0] == name]
    accelerated = sum(1 for machine in machines if machine.accelerator)
    count, newest = catalog.prices.extent(name)
    return (
        name,
        provider.tier.replace("_", " "),
        provider.kubernetes or NOT_KNOWN,
        str(accelerated),
        str(len(machines) - accelerated),
        str(sum(1 for owner, _ in catalog.regions if owner == name)),
        f"{count:,}",
        day(newest),
    )


def accelerator_parts(catalog: Catalog, accelerator: Accelerator) -> Iterator[RenderableType]:
    peaks = ", ".join(f"{word} {number(value)}" for word, value in accelerator.tflops.items()) or "not known"
    yield f"{accelerator.name}: {accelerator.maker} {accelerator.form.value}, {accelerator.memory_gb} GB"
    yield f"  dense peak in TFLOPS: {peaks}"
    bandwidth = accelerator.hbm_gb_per_s
    yield f"  memory bandwidth: {number(bandwidth)} GB/s" if bandwidth else "  memory bandwidth: not known"
    yield f"  source: {source_text(catalog, accelerator.source, as_of=accelerator.as_of)}"
    carriers = [machine for machine in catalog.machines.values() if machine.accelerator == accelerator.name]
    yield prices_table(catalog, [price for machine in carriers for price in machine_prices(catalog, machine)])


def machine_parts(catalog: Catalog, machine: Machine) -> Iterator[RenderableType]:
    carried = f"{machine.accelerators}x {machine.accelerator}" if machine.accelerator else "no accelerator"
    known = {
        "vCPUs": machine.vcpus,
        "memory GiB": machine.memory_gib,
        "local NVMe GB": machine.local_nvme_gb,
        "network Gbps": machine.network_gbps,
        "EFA interfaces": machine.efa_interfaces,
    }
    facts = ", ".join(f"{name} {value if value is not None else 'not known'}" for name, value in known.items())
    yield f"{machine.provider} {machine.name}: {carried}, fabric {machine.fabric.value}, {machine.architecture}"
    yield f"  {facts}"
    yield f"  source: {source_text(catalog, machine.source, as_of=machine.as_of)}"
    yield prices_table(catalog, machine_prices(catalog, machine))


def machine_prices(catalog: Catalog, machine: Machine) -> list[Price]:
    return catalog.prices.of_item(provider=machine.provider, item=machine.name)


def prices_table(catalog: Catalog, prices: Sequence[Price]) -> Table:
    ordered = sorted(prices, key=lambda each: (each.usd, each.provider, each.item, each.region, each.above))
    rows = (
        (
            price.provider,
            price.item,
            price.region,
            price.purchase,
            usd_exact(price.usd),
            price.unit + (f" above {number(price.above)}" if price.above != ZERO else ""),
            source_text(catalog, price.source, as_of=price.as_of),
        )
        for price in ordered
    )
    head = ("provider", "item", "region", "purchase", "USD", "per", "source")
    return make_table(head, rows, right={"USD"}, whole={"USD"})


def source_text(catalog: Catalog, source: str, *, as_of: date | None) -> str:
    known = catalog.sources.get(source)
    return f"{source if known else f'{source} (unknown)'}, {day(as_of)}"


def flags_table(counted: Iterable[tuple[str, int]]) -> Table:
    rows = ((flag, f"{count:,}") for flag, count in counted)
    return make_table(("what weakens a price", "offers"), rows, right={"offers"})


def worth_table(worths: Sequence[Worth]) -> Table:
    amounts = ("USD/hour", "per 1000 TFLOPS")
    rows = (
        (
            *(each.provider, each.machine, each.accelerator, each.region),
            *(usd(each.usd_per_hour), usd(each.usd_per_1000_tflops_hour)),
        )
        for each in worths
    )
    return make_table(("provider", "machine", "accelerator", "region", *amounts), rows, right=amounts, whole=amounts)
