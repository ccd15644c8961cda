"""What each mover loses of what is really used, and which mover is chosen for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.relocation.inventory.assets import OF_KIND, is_relevant_loss
from planning.relocation.methods.move_methods import Carries, cell, find_target_limit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planning.relocation.inventory.assets import AssetKind, Feature, FeatureUsage
    from planning.relocation.methods.move_methods import Mover


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureLoss:
    """A feature that a method of moving would lose.

    Args:
        count: objects with it; None where they were not counted.
        missed: whether the loss matters.
    """

    feature: Feature
    count: int | None
    text: str
    source: str
    missed: bool = True


def losses(mover: Mover, kind: AssetKind, *, target: str, usage: FeatureUsage | None) -> tuple[FeatureLoss, ...]:
    """Certain and possible losses of a method, most objects first; those of unused features are omitted."""
    found = [_build_loss(mover, feature, kind=kind, target=target, usage=usage) for feature in OF_KIND.get(kind, ())]
    return tuple(sorted((each for each in found if each is not None), key=lambda each: -(each.count or 0)))


def _build_loss(
    mover: Mover, feature: Feature, *, kind: AssetKind, target: str, usage: FeatureUsage | None
) -> FeatureLoss | None:
    there = cell(mover.name, feature, kind=kind, target=target)
    count = usage.of(feature) if usage else None
    if there.carries is Carries.KEPT or count == 0:
        return None
    who = f"the target ({target})" if find_target_limit(feature, kind=kind, target=target) else mover.title
    does = "drops them" if there.carries is Carries.DROPPED else "is not known to keep them"
    does = does.replace("drops", "cannot hold") if who.startswith("the target") else does
    used = f"{count:,} have {feature}" if count else f"{feature}: not looked at yet"
    note = f", {there.note}" if there.note else ""
    text = f"{used}; {who} {does}{note}"
    return FeatureLoss(
        feature=feature, count=count, text=text, source=there.source, missed=is_relevant_loss(feature, kind)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MoverChoice:
    """The method by which an asset is moved.

    Args:
        loses: losses of used features.
        unlooked: losses of features that were not counted.
        why: in one sentence.
        counted: whether the features that the source uses were counted.
        others: rejected methods, each with the reason.
    """

    mover: Mover
    loses: tuple[FeatureLoss, ...]
    unlooked: tuple[FeatureLoss, ...]
    why: str
    counted: bool
    others: tuple[tuple[Mover, str], ...] = ()


def choose(
    candidates: Iterable[Mover], kind: AssetKind, *, target: str, usage: FeatureUsage | None, named: str = ""
) -> MoverChoice | None:
    """The first mover that loses nothing of what is used, or the least of it, or may lose least; None for none.

    Args:
        named: mover that relocation.yaml names, which is the one that runs, whatever it loses.
    """
    weighed = [(each, losses(each, kind, target=target, usage=usage)) for each in candidates]
    if not weighed:
        return None
    sure = [
        (
            mover,
            tuple(each for each in lost if each.count),
            tuple(each for each in lost if each.count is None and each.missed),
        )
        for mover, lost in weighed
    ]
    best = min(range(len(sure)), key=lambda index: (_weight(sure[index][1]), len(sure[index][2]), index))
    said = next((index for index, each in enumerate(sure) if each[0].name == named), None)
    spared = said is not None and _weight(sure[best][1]) < _weight(sure[said][1])
    instead = sure[best][0].title if spared else ""
    # The one that is named is the one that runs, whatever it loses.
    best = best if said is None else said
    mover, loses, unlooked = sure[best]
    others = tuple((each, _why_not(lost, open_)) for index, (each, lost, open_) in enumerate(sure) if index != best)
    why = _why(loses, unlooked, usage)
    if said is not None:
        why = f"{f'{instead} would lose less' if instead else why}; relocation.yaml names this one"
    return MoverChoice(mover=mover, loses=loses, unlooked=unlooked, why=why, counted=usage is not None, others=others)


def _weight(lost: tuple[FeatureLoss, ...]) -> int:
    return sum(each.count or 0 for each in lost if each.missed)


def _why(loses: tuple[FeatureLoss, ...], unlooked: tuple[FeatureLoss, ...], usage: FeatureUsage | None) -> str:
    if _weight(loses):
        return "nothing that applies loses less"
    if usage is None:
        return "what may be lost is least; what the source uses was not looked at yet"
    if unlooked:
        return f"loses nothing that was counted; not looked at: {', '.join(each.feature for each in unlooked)}"
    return "loses nothing that is used"


def _why_not(lost: tuple[FeatureLoss, ...], unlooked: tuple[FeatureLoss, ...]) -> str:
    heavy = [each for each in lost if each.missed]
    if heavy:
        return heavy[0].text
    if unlooked:
        return f"may lose {', '.join(each.feature for each in unlooked)}"
    return "would do as well; it comes later in our order"
