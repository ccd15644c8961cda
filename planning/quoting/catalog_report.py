"""JSON of what the catalog knows and of what a checklist demands; shapes and builders side by side, they are small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from planning.values.json_format import decimal_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

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
    """`atoll catalog worth --json`."""

    prices: str
    precision: str
    machines: list[WorthForm]


def demands_form(stack: str, demands: Iterable[Demand], *, unused: Iterable[UnusedField]) -> DemandsForm:
    """Demands of a checklist, and what in it changes none."""
    return {
        "stack": stack,
        "demands": [_demand(each) for each in demands],
        "unused": [{"path": each.path, "reason": each.reason} for each in unused],
    }


def _demand(each: Demand) -> DemandForm:
    copies = each.copies
    return {
        "workload": each.workload,
        "kind": each.kind,
        "accelerators": each.accelerators,
        "memory_gb": decimal_text(each.memory_gb),
        "vcpus": each.vcpus,
        "copies": {name: decimal_text(getattr(copies, name)) for name in ("min", "expected", "max")},
        "deadline_hours": _maybe(each.deadline_hours),
        "runs_per_month": decimal_text(each.runs_per_month),
        "always_on": each.always_on,
        "spot": each.spot,
        "rdma": each.rdma,
    }


def providers_form(catalog: Catalog) -> ProvidersForm:
    """Every provider, and how much is known of each."""
    return {
        "prices": catalog.prices.name,
        "providers": [_provider(catalog, name) for name in sorted(catalog.providers)],
    }


def _provider(catalog: Catalog, name: str) -> ProviderForm:
    provider = catalog.providers[name]
    count, newest = catalog.prices.extent(name)
    return {
        "name": name,
        "tier": provider.tier,
        "kubernetes": provider.kubernetes,
        "gpu_machines": len(list(catalog.machines.some(accelerated=True, provider=name))),
        "cpu_machines": len(list(catalog.machines.some(accelerated=False, provider=name))),
        "regions": sum(1 for owner, _ in catalog.regions if owner == name),
        "prices": count,
        "newest": newest.isoformat() if newest else None,
    }


def facts_form(
    *, machines: Iterable[Machine], accelerators: Iterable[Accelerator], prices: Iterable[Price]
) -> FactsForm:
    """Machines, accelerators and prices as they are in the catalog."""
    return {
        "machines": [_machine(each) for each in machines],
        "accelerators": [_accelerator(each) for each in accelerators],
        "prices": [_price(each) for each in prices],
    }


def _machine(each: Machine) -> MachineForm:
    return {
        "provider": each.provider,
        "name": each.name,
        "accelerator": each.accelerator,
        "accelerators": each.accelerators,
        "vcpus": each.vcpus,
        "memory_gib": _maybe(each.memory_gib),
        "local_nvme_gb": each.local_nvme_gb,
        "network_gbps": _maybe(each.network_gbps),
        "fabric": each.fabric.value,
        "efa_interfaces": each.efa_interfaces,
        "cluster": each.cluster,
        "architecture": each.architecture,
        "source": each.source,
    }


def _accelerator(each: Accelerator) -> AcceleratorForm:
    return {
        "name": each.name,
        "maker": each.maker,
        "form": each.form.value,
        "memory_gb": each.memory_gb,
        "tflops": {word: decimal_text(value) for word, value in each.tflops.items()},
        "tflops_sparse": {word: decimal_text(value) for word, value in each.tflops_sparse.items()},
        "hbm_gb_per_s": _maybe(each.hbm_gb_per_s),
        "nvlink_gb_per_s": _maybe(each.nvlink_gb_per_s),
        "source": each.source,
    }


def _price(each: Price) -> PriceRowForm:
    return {
        "provider": each.provider,
        "item": each.item,
        "region": each.region,
        "purchase": each.purchase,
        "unit": each.unit,
        "usd": decimal_text(each.usd),
        "above": decimal_text(each.above),
        "source": each.source,
        "as_of": each.as_of.isoformat() if each.as_of else None,
    }


def soundness_form(*, offers: int, flags: Mapping[str, int], faults: Iterable[str]) -> SoundnessForm:
    """What a check of every row found."""
    return {"offers": offers, "flags": dict(flags), "faults": list(faults)}


def worths_form(*, prices: str, precision: str, worths: Iterable[Worth]) -> WorthsForm:
    """Machines by what 1000 TFLOPS of them cost."""
    return {
        "prices": prices,
        "precision": precision,
        "machines": [
            {
                "provider": each.provider,
                "machine": each.machine,
                "accelerator": each.accelerator,
                "region": each.region,
                "usd_per_hour": decimal_text(each.usd_per_hour),
                "usd_per_1000_tflops_hour": decimal_text(each.usd_per_1000_tflops_hour),
            }
            for each in worths
        ],
    }


def _maybe(value: Decimal | None) -> str | None:
    return None if value is None else decimal_text(value)
