"""A small market made by hand: two providers, a few machines, prices as the test wants them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, cast

from catalogs.catalog import Catalog
from catalogs.model import (
    Accelerator,
    Fabric,
    Form,
    Item,
    Machine,
    Offer,
    Price,
    Provider,
    PurchaseKind,
    Region,
    StorageTier,
    Term,
    UnpricedError,
)
from catalogs.offers import RoughOffer, Size
from catalogs.providers import find_traits
from planning.checklist.model.checklist import Checklist
from planning.quoting.candidates.market import Market
from planning.quoting.search.candidate_set import CandidateSet
from planning.sizing.checklist_demands import size

TODAY = date(2026, 11, 21)
TERMS = {
    "on_demand": (PurchaseKind.ON_DEMAND, 0),
    "spot": (PurchaseKind.SPOT, 0),
    "reserved_12m": (PurchaseKind.RESERVED, 12),
    "reserved_36m": (PurchaseKind.RESERVED, 36),
    "capacity_block": (PurchaseKind.CAPACITY_BLOCK, 0),
}
RESIDENCY = {"us-east-1": "US", "eu-west-1": "EU", "us-central1": "US", "eu-north1": "EU", "any": "unknown"}


def accelerator(name: str = "H100-SXM-80GB", *, form: Form = Form.SXM, gb: int = 80, bf16: int = 989) -> Accelerator:
    """One accelerator of NVIDIA."""
    return Accelerator(
        name=name,
        family=name.split("-", maxsplit=1)[0],
        maker="NVIDIA",
        form=form,
        memory_gb=gb,
        tflops={"bf16": Decimal(bf16), "fp16": Decimal(bf16), "tf32": Decimal(bf16) / 2},
        tflops_sparse={},
        hbm_gb_per_s=Decimal(3350),
        nvlink_gb_per_s=Decimal(450) if form is Form.SXM else None,
        source="test",
        as_of=TODAY,
    )


def machine(
    name: str, *, provider: str = "aws", gpu: str | None = "H100-SXM-80GB", gpus: int = 8, **facts: object
) -> Machine:
    """One machine; a fabric where it has eight accelerators."""
    plain: dict[str, object] = {
        "provider": provider,
        "name": name,
        "accelerator": gpu,
        "accelerators": gpus if gpu else 0,
        "vcpus": 192 if gpu else 8,
        "memory_gib": Decimal(2048 if gpu else 32),
        "local_nvme_gb": 30000 if gpu else 0,
        "network_gbps": Decimal(3200 if gpu else 10),
        "fabric": Fabric.EFA if gpu and gpus == 8 else Fabric.ETHERNET,
        "efa_interfaces": 32 if gpu and gpus == 8 else 0,
        "cluster": gpus == 8 or gpu is None,
        "placement_group": True,
        "architecture": "x86_64",
        "source": "test",
        "as_of": TODAY,
    }
    return Machine(**{**plain, **facts})  # type: ignore[arg-type]


def price(provider: str, item: str, region: str, usd: str, *, purchase: str = "on_demand", unit: str = "hour") -> Price:
    """One price row."""
    return Price(
        provider=provider,
        item=item,
        region=region,
        purchase=purchase,
        unit=unit,
        usd=Decimal(usd),
        above=Decimal(0),
        source="test",
        as_of=TODAY,
    )


def term(purchase: str) -> Term:
    """What a purchase word means."""
    kind, months = TERMS[purchase]
    given: dict[str, Any] = {
        "upfront": "none",
        "note": "",
        "source": "test",
        "holds": "unknown",
        "holds_source": "test",
    }
    return Term(purchase=purchase, provider="*", kind=kind, months=months, **given)


@dataclass
class SmallPrices:
    """Rows searched one by one: slow, and plainly right."""

    rows: Sequence[Price]
    name: str = "small"
    digest: str = "none"
    newest: date = TODAY
    known: dict[tuple[str, str, str, str], tuple[Price, ...]] = field(default_factory=dict)

    def tiers(self, *, provider: str, item: str, region: str, purchase: str = "list") -> tuple[Price, ...]:
        found = self.find_tiers(provider=provider, item=item, region=region, purchase=purchase)
        if not found:
            raise UnpricedError(f"no price for {provider} {item} in {region} ({purchase})")
        return found

    def find_tiers(self, *, provider: str, item: str, region: str, purchase: str = "list") -> tuple[Price, ...]:
        key = (provider, item, region, purchase)
        if key not in self.known:
            self.known[key] = self._search(key) or self._search((provider, item, "*", purchase))
        return self.known[key]

    def _search(self, key: tuple[str, str, str, str]) -> tuple[Price, ...]:
        found = (row for row in self.rows if (row.provider, row.item, row.region, row.purchase) == key)
        return tuple(sorted(found, key=lambda row: row.above))

    def places_with(self, purchases: set[str]) -> set[tuple[str, str]]:
        return {(row.provider, row.region) for row in self.rows if row.purchase in purchases}

    def list_prices(self, *, provider: str, item: str) -> tuple[Price, ...]:
        mine = (row for row in self.rows if (row.provider, row.item, row.purchase) == (provider, item, "list"))
        return tuple(row for row in mine if row.as_of is not None)

    def places(self) -> frozenset[tuple[str, str]]:
        return frozenset((row.provider, row.region) for row in self.rows)

    def of_item(self, *, provider: str, item: str) -> list[Price]:
        return [row for row in self.rows if (row.provider, row.item) == (provider, item)]


class SmallMachines(dict[tuple[str, str], Machine]):
    """Machines by provider and name."""

    def some(self, *, accelerated: bool) -> list[Machine]:
        return [each for each in self.values() if bool(each.accelerators) == accelerated]


@dataclass
class SmallCatalog:
    """What Market asks of a catalog."""

    machines_list: Sequence[Machine]
    rows: Sequence[Price]
    accelerators_list: Sequence[Accelerator] = ()
    flags: Mapping[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)
    tiers: Mapping[tuple[str, str], StorageTier] = field(default_factory=dict)
    kubernetes: bool = True
    own: None = None

    def __post_init__(self) -> None:
        chosen = self.accelerators_list or (accelerator(),)
        self.prices = SmallPrices(self.rows)
        self.accelerators = {each.name: each for each in chosen}
        self.machines = SmallMachines({(each.provider, each.name): each for each in self.machines_list})
        names = {each.provider for each in self.machines_list}
        self.providers = {name: self._provider(name) for name in sorted(names)}
        places = {(row.provider, row.region) for row in self.rows if (row.provider, row.item) in self.machines}
        self.regions = {place: self._region(place) for place in sorted(places)}
        self.terms = {(word, "*"): term(word) for word in TERMS}

    def _provider(self, name: str) -> Provider:
        return Provider(
            name=name,
            title=name,
            tier="big_three" if name in ("aws", "gcp", "azure") else "micro_cloud",
            kubernetes="managed" if self.kubernetes else "",
            manages="",
            sla="",
            egress="",
            lock_in=f"leaving {name}",
            source="test",
        )

    @staticmethod
    def _region(place: tuple[str, str]) -> Region:
        return Region(
            provider=place[0], name=place[1], country="", residency=RESIDENCY[place[1]], zones=(), source="test"
        )

    def offers(self, *, accelerated: bool, provider: str | None = None, region: str | None = None) -> list[Offer]:
        return [
            self._offer(row)
            for row in self.rows
            if (row.provider, row.item) in self.machines
            and bool(self.machines[row.provider, row.item].accelerators) == accelerated
            and provider in (None, row.provider)
            and region in (None, row.region)
        ]

    def _offer(self, row: Price) -> Offer:
        flags = self.flags.get((row.item, row.region, row.purchase), ())
        return Offer(
            machine=self.machines[row.provider, row.item],
            region=row.region,
            price=row,
            term=term(row.purchase),
            flags=flags,
        )

    def regions_of(self, machine: Machine) -> tuple[str, ...]:
        rows = self.prices.of_item(provider=machine.provider, item=machine.name)
        return tuple(dict.fromkeys(row.region for row in rows))

    def offers_of(self, machine: Machine, region: str) -> tuple[Offer, ...]:
        rows = self.prices.of_item(provider=machine.provider, item=machine.name)
        return tuple(self._offer(row) for row in rows if row.region == region)

    def machine_prices(self, *, provider: str, region: str, usable: Callable[[Size], bool]) -> Iterator[RoughOffer]:
        for offer in self.offers(accelerated=False, provider=provider, region=region):
            usd, machine = float(offer.price.usd), offer.machine
            size = Size(machine.name, machine.vcpus or 0, float(machine.memory_gib or 0), machine.architecture)
            if usable(size):
                yield RoughOffer(size=size, kind=offer.term.kind, usd_per_hour=usd, make=lambda offer=offer: offer)

    def zones(self, *, provider: str, machine: str, region: str) -> tuple[str, ...]:
        del provider, machine, region
        return ()


def market(catalog: SmallCatalog) -> Market:
    """The market of a small catalog."""
    return Market(cast(Catalog, catalog))


def candidate_set(catalog: SmallCatalog, checklist: Checklist) -> CandidateSet:
    """The candidates of a checklist over a small catalog."""
    return CandidateSet(market(catalog), checklist, demands=size(checklist).demands, today=TODAY, refusals=Counter())


def services(provider: str, region: str = "*", usd: str = "0.1") -> list[Price]:
    """A price for every service item and for the VPN's machine, so that nothing is unpriced."""
    gateway = price(provider, find_traits(provider).vpn_machine or "gateway", region, usd)
    return [gateway, *(price(provider, item, region, usd, purchase="list", unit="unit") for item in Item)]


def checklist(*workloads: Mapping[str, object], **parts: object) -> Checklist:
    """A checklist with as little as possible around its workloads."""
    body: dict[str, object] = {
        "customer": {"name": "acme", "owner": "ops@acme.example"},
        "workloads": list(workloads),
        **parts,
    }
    return Checklist.model_validate(body)


TRAINING = {"kind": "training", "name": "train", "model": {"parameters": "7B"}, "tokens": "10B"}
SERVING = {"kind": "inference", "name": "serve", "model": {"parameters": "13B"}, "replicas": 2, "max_replicas": 16}
LAB = {"kind": "notebooks", "name": "lab"}
