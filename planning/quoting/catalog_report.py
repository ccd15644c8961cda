"""JSON of what the catalog knows and of what a checklist demands; shapes and builders side by side, they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.values.json_format import fill_form, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from catalogs.catalog import Catalog
    from catalogs.model import Accelerator, Machine, Price
    from planning.checklist.reading.unpriced_fields import UnusedField
    from planning.quoting.price_performance import Worth
    from planning.sizing.demand import Demand

_CLOSED: Final = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class DemandForm(TypedDict):
    """What one workload needs of its node pool."""

    workload: str
    kind: str
    accelerators: int
    memory_gb: str
    vcpus: int
    copies: dict[str, str]
    deadline_hours: str | None
    runs_per_month: str
    always_on: bool
    spot: bool
    rdma: bool


@with_config(_CLOSED)
class UnusedForm(TypedDict):
    """A field that was written and changes no quote."""

    path: str
    reason: str


@with_config(_CLOSED)
class DemandsForm(TypedDict):
    """`atoll check --json`."""

    stack: str
    demands: list[DemandForm]
    unused: list[UnusedForm]


@with_config(_CLOSED)
class ProviderForm(TypedDict):
    """How much is known of a provider."""

    name: str
    tier: str
    kubernetes: str
    gpu_machines: int
    cpu_machines: int
    regions: int
    prices: int
    newest: str | None


@with_config(_CLOSED)
class ProvidersForm(TypedDict):
    """`atoll catalog list --json`."""

    prices: str
    providers: list[ProviderForm]


@with_config(_CLOSED)
class MachineForm(TypedDict):
    """A machine."""

    provider: str
    name: str
    accelerator: str | None
    accelerators: int
    vcpus: int | None
    memory_gib: str | None
    local_nvme_gb: int | None
    network_gbps: str | None
    fabric: str
    efa_interfaces: int
    cluster: bool
    architecture: str
    source: str


@with_config(_CLOSED)
class AcceleratorForm(TypedDict):
    """An accelerator."""

    name: str
    maker: str
    form: str
    memory_gb: int
    tflops: dict[str, str]
    tflops_sparse: dict[str, str]
    hbm_gb_per_s: str | None
    nvlink_gb_per_s: str | None
    source: str


@with_config(_CLOSED)
class PriceRowForm(TypedDict):
    """One price."""

    provider: str
    item: str
    region: str
    purchase: str
    unit: str
    usd: str
    above: str
    source: str
    as_of: str | None


@with_config(_CLOSED)
class FactsForm(TypedDict):
    """`atoll catalog show --json`."""

    machines: list[MachineForm]
    accelerators: list[AcceleratorForm]
    prices: list[PriceRowForm]


@with_config(_CLOSED)
class SoundnessForm(TypedDict):
    """`atoll catalog check --json`."""

    offers: int
    flags: dict[str, int]
    faults: list[str]


@with_config(_CLOSED)
class WorthForm(TypedDict):
    """What 1000 TFLOPS of one machine cost."""

    provider: str
    machine: str
    accelerator: str
    region: str
    usd_per_hour: str
    usd_per_1000_tflops_hour: str


@with_config(_CLOSED)
class WorthsForm(TypedDict):
    """`atoll catalog price-performance --json`."""

    prices: str
    precision: str
    machines: list[WorthForm]


def demands_form(stack: str, demands: Iterable[Demand], *, unused: Iterable[UnusedField]) -> DemandsForm:
    """Demands of a checklist, and what in it changes none."""
    return {
        "stack": stack,
        "demands": [fill_form(DemandForm, demand) for demand in demands],
        "unused": [fill_form(UnusedForm, field) for field in unused],
    }


def providers_form(catalog: Catalog) -> ProvidersForm:
    """Every provider, and how much is known of each."""
    return {
        "prices": catalog.prices.name,
        "providers": [_provider(catalog, name) for name in sorted(catalog.providers)],
    }


def _provider(catalog: Catalog, name: str) -> ProviderForm:
    count, newest = catalog.prices.extent(name)
    return fill_form(
        ProviderForm,
        catalog.providers[name],
        name=name,
        gpu_machines=len(list(catalog.machines.some(accelerated=True, provider=name))),
        cpu_machines=len(list(catalog.machines.some(accelerated=False, provider=name))),
        regions=sum(1 for owner, _ in catalog.regions if owner == name),
        prices=count,
        newest=to_json(newest),
    )


def facts_form(
    *, machines: Iterable[Machine], accelerators: Iterable[Accelerator], prices: Iterable[Price]
) -> FactsForm:
    """Machines, accelerators and prices as they are in the catalog."""
    return {
        "machines": [fill_form(MachineForm, machine) for machine in machines],
        "accelerators": [fill_form(AcceleratorForm, accelerator) for accelerator in accelerators],
        "prices": [fill_form(PriceRowForm, price) for price in prices],
    }


def worths_form(*, prices: str, precision: str, worths: Iterable[Worth]) -> WorthsForm:
    """Machines by what 1000 TFLOPS of them cost."""
    machines = [fill_form(WorthForm, worth) for worth in worths]
    return {"prices": prices, "precision": precision, "machines": machines}
