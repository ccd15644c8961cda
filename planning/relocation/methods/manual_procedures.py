"""How people move what Atoll does not: the ways of catalogs/manual_procedures.yaml, filled in for one asset."""

from __future__ import annotations

from functools import cache
from string import Template
from typing import TYPE_CHECKING, Final

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from planning.inputs.fact_tables import read_table
from planning.relocation.inventory.assets import AssetKind, AssetTreatment
from planning.relocation.methods.data_loss import losses
from planning.relocation.methods.move_methods import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.relocation.methods.data_loss import MoverChoice


FILL: Final = "FILL-IN"
GIB: Final = 2**30
_CLOSED: Final = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualProcedure:
    """A procedure.

    Args:
        text: commands and manifests, line by line; contexts SOURCE and TARGET are those of kubectl.
        loses: losses, of used features or not: volumes are not inspected.
    """

    title: str
    text: str
    loses: tuple[str, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class ProcedureTemplate(ManualProcedure):
    """A procedure with placeholders.

    Args:
        mover: of catalogs/move_methods.yaml, whose losses it has beside its own; "" for none.
    """

    kinds: frozenset[AssetKind]
    mover: str = ""


@cache
def _read_templates() -> tuple[ProcedureTemplate, ...]:
    return read_table("manual_procedures.yaml", tuple[ProcedureTemplate, ...])


def list_procedures(thing: StatefulAsset) -> tuple[ManualProcedure, ...]:
    """Ways for a thing, the best first; none where its reason says it all."""
    fields = _describe_asset(thing)
    return tuple(
        ManualProcedure(
            title=each.title,
            text=Template(each.text).substitute(fields),
            loses=(*_list_losses(thing, each.mover), *each.loses),
            source=each.source,
        )
        for each in _read_templates()
        if thing.kind in each.kinds
    )


def _describe_asset(thing: StatefulAsset) -> Mapping[str, str]:
    """What templates are filled with; a mark for what the inventory knows by kind only."""
    namespace, _, name = thing.locator.partition("/")
    secrets = [f"# {each}" for each in thing.locator.split() if "/" in each]
    return {
        "namespace": namespace if namespace and "*" not in namespace else FILL,
        "name": name or FILL,
        "size": f"{int(thing.bytes.max / GIB) + 1}Gi" if thing.bytes else FILL,
        "place": thing.locator if "/" in thing.locator and "*" not in thing.locator else thing.part or FILL,
        "part": thing.key.partition("/")[2],
        "secrets": "\n".join(secrets) or "# their names are known once the cluster was asked",
        "mirror": thing.locator or "the mirror",
        "bucket": thing.locator or thing.key,
    }


def _list_losses(thing: StatefulAsset, mover: str) -> tuple[str, ...]:
    if not mover:
        return ()
    return tuple(each.text for each in losses(BY_NAME[mover], thing.kind, target="", usage=None))


STRANGE: Final = "strange/"  # what keys of resources begin with that no row of ours knows
# What still changes until writers stand still: what was looked at before is looked at again after.
WRITTEN: Final = frozenset(
    {AssetKind.BUCKET, AssetKind.POSTGRESQL, AssetKind.MYSQL, AssetKind.FILE_SYSTEM, AssetKind.VOLUME}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualMove:
    """One thing that somebody must see to.

    Args:
        key: as the inventory has it, or `STRANGE` and what was registered.
        why: why Atoll does not.
    """

    key: str
    title: str
    why: str
    ways: tuple[ManualProcedure, ...] = ()


def explain_manual_move(kind: AssetKind, treatment: AssetTreatment, *, runs: str, covered: bool | None) -> str:
    """Why an asset needs manual work; "" where it does not.

    Args:
        runs: who runs its method: "atoll", "provider", "you"; "" without a method.
        covered: whether a relocation.yaml names it; None where none was read.
    """
    if kind is AssetKind.REGISTRY and treatment is AssetTreatment.MADE_ANEW:
        return "the target must reach it, or have one of its own that was filled"
    if treatment is not AssetTreatment.MOVED or covered:
        return ""
    if runs == "atoll":
        return "" if covered is None else "no relocation.yaml names it"
    if runs == "provider":
        return "the provider's service moves it once you start it"
    return "you move it" if runs else "nothing of ours moves it"


def list_manual_moves(
    inventory: Inventory, chosen: Sequence[tuple[StatefulAsset, MoverChoice | None]], *, covered: Collection[str] | None
) -> tuple[ManualMove, ...]:
    """Every thing that somebody must see to.

    Args:
        covered: keys of what relocation.yaml names; None where no such file was read.
    """
    choices = {thing.key: choice for thing, choice in chosen}

    def list_moves() -> Iterator[ManualMove]:
        for thing in inventory.things:
            choice = choices.get(thing.key)
            named = None if covered is None else thing.key in covered
            runs = choice.mover.runs if choice else ""
            if why := explain_manual_move(thing.kind, thing.treatment, runs=runs, covered=named):
                yield ManualMove(key=thing.key, title=thing.title, why=why, ways=list_procedures(thing))
        for each in inventory.strange:
            yield ManualMove(key=f"{STRANGE}{each}", title=each, why="no row of ours knows what becomes of it")

    return tuple(list_moves())
