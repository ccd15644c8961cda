"""The plan of a relocation: what moves, by what, what that loses, how long it takes, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.relocation.costs.bill import RelocationNote, moving_bill
from planning.relocation.costs.break_even import break_even
from planning.relocation.costs.route import Route
from planning.relocation.inventory.assets import AssetKind
from planning.relocation.inventory.stack_inventory import NOTHING_COUNTED, SAMPLE, volume_of, volumes_of
from planning.relocation.methods.data_loss import choose
from planning.relocation.methods.manual_procedures import list_manual_moves
from planning.relocation.methods.move_methods import SOURCES, applicable
from planning.relocation.refusals import refusals
from planning.relocation.write_freeze import times
from planning.values.errors import InputError
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date
    from decimal import Decimal

    from catalogs.catalog import Catalog
    from planning.relocation.costs.bill import MovingBill, RelocationTerms
    from planning.relocation.costs.break_even import BreakEven
    from planning.relocation.costs.route import Exit
    from planning.relocation.durations import Rates
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import AssetMeasurement, Inventory
    from planning.relocation.inventory.volume import Side, TransferVolume
    from planning.relocation.methods.data_loss import MoverChoice
    from planning.relocation.methods.manual_procedures import ManualMove
    from planning.relocation.write_freeze import FreezeRequest, Times
    from planning.spec.lock import Lock

# "Amazon S3 deletes expired objects on your behalf": no policy of a bucket, which binds users, stops it (2026-11-22).
LIFECYCLE: Final = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lifecycle-mgmt.html"
CARRIED: Final = "move/"  # what the keys of lines begin with that data in motion causes
OTHER_STORE: Final = "other"
IN_CLUSTER: Final = frozenset({"minio", "seaweedfs"})  # stores that ask nothing for a request


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetMove:
    """A thing that is moved, and by what.

    Args:
        choice: None where nothing of ours moves such a thing, which is then up to whoever reads the plan.
    """

    thing: StatefulAsset
    choice: MoverChoice | None
    source_store: str
    target_store: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """What it would cost to move a thing that is left out.

    Args:
        usd: once; None where its size or a price is not known.
    """

    thing: StatefulAsset
    usd: Range | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationInputs:
    """Decisions and measurements of the person who plans.

    Args:
        measured: measurements by key of the asset.
        movers: keys of buckets to the copy worker that relocation.yaml names.
        covered: keys of assets in relocation.yaml; None where no such file was given.
        leaves_by: exit of bytes from the source's network; None for that of a cluster that Atoll builds.
        observe_minutes: observation of the target before the commit.
        sample: share of the bytes of large assets that is read again at the target.
        assumed: assumptions, in sentences.
    """

    rates: Rates
    asked: FreezeRequest
    terms: RelocationTerms
    measured: Mapping[str, AssetMeasurement] = field(default_factory=dict[str, "AssetMeasurement"])
    movers: Mapping[str, str] = field(default_factory=dict[str, str])
    covered: frozenset[str] | None = None
    leaves_by: Exit | None = None
    observe_minutes: int = 60
    sample: Decimal = SAMPLE
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocationPlan:
    """All of it."""

    source: Lock
    target: Lock
    planned_on: date
    prices: str
    route: Route
    given: RelocationInputs
    inventory: Inventory
    chosen: tuple[AssetMove, ...]
    volumes: tuple[TransferVolume, ...]
    savings: tuple[Saving, ...]
    bill: MovingBill
    times: Times
    break_even: BreakEven

    @property
    def lost(self) -> tuple[AssetMove, ...]:
        """Things of which something that is used would be lost, whatever is chosen."""
        return tuple(each for each in self.chosen if each.choice and each.choice.loses)

    @property
    def notes(self) -> tuple[RelocationNote, ...]:
        """What was assumed, and what people do by hand."""
        return tuple(_list_notes(self))

    @property
    def by_hand(self) -> tuple[ManualMove, ...]:
        """What somebody must see to, for Atoll does not."""
        chosen = [(each.thing, each.choice) for each in self.chosen]
        return list_manual_moves(self.inventory, chosen, covered=self.given.covered)


def plan(
    source: Lock,
    target: Lock,
    *,
    inventory: Inventory,
    given: RelocationInputs,
    catalog: Catalog,
    prices: str,
    today: date,
) -> RelocationPlan:
    """The plan.

    Args:
        prices: name of the price book.

    Raises:
        InputError: it cannot be; every reason at once.
    """
    _refuse(source, target, inventory)
    route = Route.between(source, target, leaves_by=given.leaves_by)
    volumes = _volumes(inventory, source, target, given)
    chosen = tuple(_choose_move(each, source, target, given) for each in inventory.moved)
    bill = moving_bill(volumes, source=source, target=target, route=route, terms=given.terms, catalog=catalog)
    found = times(volumes, rates=given.rates, asked=given.asked)
    paid = break_even(bill.bill, source=source, target=target, from_day=given.terms.commit_on)
    return RelocationPlan(
        source=source,
        target=target,
        planned_on=today,
        prices=prices,
        route=route,
        given=given,
        inventory=inventory,
        chosen=chosen,
        volumes=volumes,
        savings=_list_savings(inventory, source, target, route=route, given=given, catalog=catalog),
        bill=bill,
        times=found,
        break_even=paid,
    )


def _list_savings(
    inventory: Inventory, source: Lock, target: Lock, *, route: Route, given: RelocationInputs, catalog: Catalog
) -> tuple[Saving, ...]:
    """What is saved by each asset of a known size that is left out."""

    def cost(more: Sequence[TransferVolume]) -> MovingBill:
        return moving_bill(more, source=source, target=target, route=route, terms=given.terms, catalog=catalog)

    return tuple(
        _saving(each, given.measured, billed=_list_billed_sides(each, source, target), cost=cost)
        for each in inventory.left_out
        if each.bytes is not None
    )


def _refuse(source: Lock, target: Lock, inventory: Inventory) -> None:
    """Every reason why it cannot be.

    Raises:
        InputError: there is one.
    """
    faults = refusals(source, target, inventory)
    if faults:
        count = "1 reason" if len(faults) == 1 else f"{len(faults)} reasons"
        raise InputError(f"{source.stack} cannot be relocated to {target.stack}: {count}", faults=faults)


def _choose_move(thing: StatefulAsset, source: Lock, target: Lock, given: RelocationInputs) -> AssetMove:
    old, new = _store(thing, source), _store(thing, target)
    usage = given.measured.get(thing.key, NOTHING_COUNTED).usage
    candidates = applicable(thing.kind, source=old, target=new)
    choice = choose(candidates, thing.kind, target=new, usage=usage, named=given.movers.get(thing.key, ""))
    return AssetMove(thing=thing, choice=choice, source_store=old, target_store=new)


def _volumes(inventory: Inventory, source: Lock, target: Lock, given: RelocationInputs) -> tuple[TransferVolume, ...]:
    things = {each.key: each for each in inventory.moved}
    found = volumes_of(inventory, given.measured, sample=given.sample)
    return tuple(replace(each, billed_requests=_list_billed_sides(things[each.name], source, target)) for each in found)


def _list_billed_sides(thing: StatefulAsset, source: Lock, target: Lock) -> tuple[Side, ...]:
    """Sides on which each request is paid."""
    locks: Mapping[Side, Lock] = {"source": source, "target": target}
    # A store in the cluster is paid by its disks.
    return tuple(side for side, lock in locks.items() if _store(thing, lock) not in IN_CLUSTER)


def _store(thing: StatefulAsset, lock: Lock) -> str:
    """Where a thing lies on one side: a word of the loss matrix for buckets, the provider for everything else."""
    place = lock.spec.placement
    platform = lock.spec.platform
    if thing.kind is not AssetKind.BUCKET:
        return place.provider
    if thing.part == "object_store" and platform and platform.object_store != "provider":
        return platform.object_store
    return find_traits(place.target).store_kind or OTHER_STORE


def _saving(
    thing: StatefulAsset,
    measured: Mapping[str, AssetMeasurement],
    *,
    billed: tuple[Side, ...],
    cost: Callable[[Sequence[TransferVolume]], MovingBill],
) -> Saving:
    """What the way alone would cost, without time, people and double running."""
    volume = replace(volume_of(thing, measured.get(thing.key, NOTHING_COUNTED)), billed_requests=billed)
    lines = [line for line in cost((volume,)).bill.lines if line.key.startswith(CARRIED)]
    known = [line.usd_per_month for line in lines if line.usd_per_month is not None]
    return Saving(thing=thing, usd=sum(known, NOTHING) if known else None)


def _list_notes(plan: RelocationPlan) -> Iterator[RelocationNote]:
    if any(each.thing.kind is AssetKind.BUCKET for each in plan.chosen):
        text = "objects get the time of their copy: lifecycle rules count from then; old times are in the manifest"
        yield RelocationNote(text=text, source=SOURCES["s3_time"])
        text = (
            "the freeze stops writers, not the store: lifecycle rules of the source go on expiring objects and, where "
            "a bucket is moved with `versions: true`, its older versions; disable them before, or the proof may differ"
        )
        yield RelocationNote(text=text, source=LIFECYCLE)
    if plan.given.leaves_by is None and plan.route.leaves_by == "direct" and not plan.route.stays:
        provider = plan.route.provider
        text = f"assumed: nodes of {provider} have public addresses; where they have not, plan with --through nat"
        yield RelocationNote(text=text)
    for each in plan.given.assumed:
        yield RelocationNote(text=f"assumed: {each}")
    for each in plan.inventory.strange:
        yield RelocationNote(text=f"open decision: what becomes of {each}; decide before the run")
    old, new = plan.source.spec.kubernetes_version, plan.target.spec.kubernetes_version
    if old != new:
        text = f"Kubernetes is {old} at the source and {new} at the target: look at the versions of what people made"
        yield RelocationNote(text=text, source="both locks")
    if plan.source.residency != plan.target.residency:
        text = (
            f"data may lie in {plan.source.residency} by the source's lock and {plan.target.residency} by the target's"
        )
        yield RelocationNote(text=text, source="both locks")
