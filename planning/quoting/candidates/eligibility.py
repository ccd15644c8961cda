"""What the customer lets us buy, and where: every limit of the checklist that concerns one offer or one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.model import Form, PurchaseKind
from catalogs.providers import FORBIDDABLE, find_traits, profile
from planning.checklist.model.vocabulary import Purchase, Residency
from planning.checklist.rules.provider_limits import conflicts

if TYPE_CHECKING:
    from decimal import Decimal

    from catalogs.model import Accelerator, Machine, Offer, Price, Provider, Region
    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Place
    from planning.sizing.demand import Demand

NVIDIA: Final = "NVIDIA"  # the training images of every framework asked for are CUDA builds, unless told otherwise
THIN_SPOT: Final = "thin spot"
COMMUNITY: Final = "community"
FLOOR: Final = "floor price"  # "from X": what one pays moves above it
OUTDATED: Final = "older than a known rise"
REFUSED_FLAGS: Final = (THIN_SPOT, COMMUNITY, FLOOR, OUTDATED)
ASKED_KIND: Final = {
    Purchase.ON_DEMAND: PurchaseKind.ON_DEMAND,
    Purchase.SPOT: PurchaseKind.SPOT,
    Purchase.RESERVED: PurchaseKind.RESERVED,
    Purchase.CAPACITY_BLOCK: PurchaseKind.CAPACITY_BLOCK,
}


def machine_refusal(machine: Machine) -> str:
    """Why a machine cannot be a node of a cluster at its provider; "" where it can."""
    if machine.rack:
        return "sold in whole racks only, which sizing does not count in"
    if machine.cluster or not find_traits(machine.provider).kubernetes_on_clusters:
        return ""
    return "sold as a single server, outside the provider's Kubernetes"


@dataclass(frozen=True, slots=True)
class Permit:
    """What may be bought for one demand."""

    kinds: frozenset[PurchaseKind]
    months: int  # of the contract; the only term that may be reserved
    usd_per_gpu_hour: Decimal | None

    def allows(self, offer: Offer) -> bool:
        kind = offer.term.kind
        if kind not in self.kinds:
            return False
        if kind is PurchaseKind.RESERVED and offer.term.months != self.months:
            return False
        if kind is PurchaseKind.SPOT and offer.price.as_of is None:
            return False  # spot prices move by the day: without its day one is no price
        if offer.flags and any(flag.startswith(REFUSED_FLAGS) for flag in offer.flags):
            return False
        return self._under_cap(offer.price, offer.machine)

    def bears(self, price: Price, machine: Machine) -> bool:
        """Whether the machine may run at this on-demand price instead, where its own purchase has none to give."""
        return PurchaseKind.ON_DEMAND in self.kinds and self._under_cap(price, machine)

    def _under_cap(self, price: Price, machine: Machine) -> bool:
        cap = self.usd_per_gpu_hour
        return cap is None or not machine.accelerators or price.usd <= cap * machine.accelerators


def permit(demand: Demand, checklist: Checklist) -> Permit:
    asked = demand.hardware
    kinds = {PurchaseKind.ON_DEMAND}
    if demand.spot:
        kinds.add(PurchaseKind.SPOT)
    if may_reserve(demand, checklist):
        kinds.add(PurchaseKind.RESERVED)
    if asked is not None and asked.purchase is not None:
        kinds = {ASKED_KIND[asked.purchase]}
    caps = [checklist.ceiling.usd_per_gpu_hour, asked.usd_per_hour_cap if asked is not None else None]
    known = [cap for cap in caps if cap is not None]
    return Permit(frozenset(kinds), checklist.contract.months, min(known) if known else None)


def limit_of(checklist: Checklist) -> Decimal | None:
    """USD per month that the checklist's ceilings of a month and of a contract leave; None where there is none."""
    ceiling, months = checklist.ceiling, checklist.contract.months
    of_contract = ceiling.usd_per_contract / months if ceiling.usd_per_contract is not None and months else None
    limits = [limit for limit in (ceiling.usd_per_month, of_contract) if limit is not None]
    return min(limits, default=None)


def may_reserve(demand: Demand, checklist: Checklist) -> bool:
    """Whether machines of this demand may be reserved for the contract."""
    contract = checklist.contract
    if contract.months == 0 or contract.reserve == "nothing":
        return False
    return contract.reserve == "all" or demand.always_on


def accelerator_refusal(accelerator: Accelerator, demand: Demand, checklist: Checklist) -> str:
    """Why an accelerator is out for a demand whatever it costs; "" where it is not."""
    if checklist.where.no_lock_in and accelerator.form is Form.CUSTOM:
        return "sold by one provider only, and no lock-in is wanted"
    if accelerator.maker == NVIDIA or (demand.hardware is not None and demand.hardware.accelerator is not None):
        return ""
    return "not an NVIDIA accelerator; name it under hardware to get it"


def place_refusal(place: Place, region: Region | None, checklist: Checklist, *, provider: Provider) -> str:
    """Why a place is out; "" where it is not."""
    where = checklist.where
    if where.existing is not None:
        here = place[0] == where.existing.provider and where.existing.region in (place[1], "any")
        return "" if here else "the cluster exists elsewhere"
    if not provider.kubernetes:
        return "the provider sells no Kubernetes to build on"
    if reason := _not_wanted(place, checklist) or _not_resident(region, checklist):
        return reason
    # What the provider's Kubernetes forbids of what is wanted; a checklist that fixes the provider fails earlier.
    words = [word for word, _ in conflicts(checklist, profile(place[0]).forbidden)]
    return FORBIDDABLE[words[0]] if words else ""


def _not_wanted(place: Place, checklist: Checklist) -> str:
    where = checklist.where
    if place[0] in where.excluded or (where.wanted and place[0] not in where.wanted):
        return "provider not wanted"
    return "region not wanted" if where.regions and place[1] not in where.regions else ""


def _not_resident(region: Region | None, checklist: Checklist) -> str:
    wanted = checklist.where.residency
    if wanted is Residency.ANY or (region is not None and region.residency == wanted):
        return ""
    return f"not known to lie in {wanted}"
