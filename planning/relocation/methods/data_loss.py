"""The loss matrix: what each mover carries, what each store can hold, and what that means for what is really used."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from planning.relocation.inventory.assets import AssetKind
from planning.relocation.inventory.features import OF_KIND, Feature, is_relevant_loss

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.relocation.inventory.features import FeatureUsage
    from planning.relocation.methods.move_methods import Mover


class Carries(StrEnum):
    """Whether a mover carries something over."""

    KEPT = "kept"
    DROPPED = "dropped"
    NOT_KNOWN = "not known"  # no page that we read says it; counted as dropped where it is used


@dataclass(frozen=True, slots=True, kw_only=True)
class LossCell:
    """One cell of the matrix.

    Args:
        source: word of `SOURCES`.
        note: under which condition.
    """

    carries: Carries
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureLoss:
    """Something that a mover would lose.

    Args:
        count: objects that have it; None where nobody looked.
        text: the sentence for a reader.
        missed: whether anybody would miss it.
    """

    feature: Feature
    count: int | None
    text: str
    source: str
    missed: bool = True


# Every page that a cell is from, read in November 2026.
SOURCES: Final[Mapping[str, str]] = {
    "atoll": "components/agents/mover: what a manifest's row holds",
    "replication": "https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-what-is-isnot-replicated.html",
    "datasync": "https://docs.aws.amazon.com/datasync/latest/userguide/metadata-copied.html",
    "sts": "https://cloud.google.com/storage-transfer/docs/metadata-preservation",
    "s3_time": "https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html (Last-Modified is S3's own)",
    "minio_acl": "https://min.io/docs/minio/linux/reference/s3-api-compatibility.html (unsupported: PutObjectAcl)",
    "gcs_tags": "https://github.com/taskcluster/taskcluster/issues/4748 (no tagging over its S3 interface)",
    "coreweave": "https://docs.coreweave.com/products/storage/object-storage/reference/object-storage-s3 (not said)",
    "seaweedfs": "no page that we read says it",
    "ownership": "components/clouds: buckets of ours enforce the owner's rights, no access list is heard",
    "pg_dump": "https://www.postgresql.org/docs/15/app-pgdump.html (roles are pg_dumpall's)",
    "cnpg": "https://cloudnative-pg.io/documentation/current/replica_cluster/",
    "mysqldump": "https://dev.mysql.com/doc/refman/8.4/en/mysqldump.html (as remembered, not read again)",
    "rsync": "https://man7.org/linux/man-pages/man1/rsync.1.html",
    "volsync": "https://volsync.readthedocs.io/en/stable/usage/permissionmodel.html",
    "velero": "https://velero.io/docs/main/file-system-backup/",
    "kubernetes": "https://kubernetes.io/docs/concepts/overview/working-with-objects/ (status is the controller's)",
}


def _cells(source: str, kept: Iterable[Feature], dropped: Iterable[Feature]) -> dict[Feature, LossCell]:
    return {
        **{each: LossCell(carries=Carries.KEPT, source=source) for each in kept},
        **{each: LossCell(carries=Carries.DROPPED, source=source) for each in dropped},
    }


_TYPE: Final = (Feature.CONTENT_TYPE, Feature.HEADERS, Feature.USER_METADATA)
_VERSIONED: Final = (Feature.VERSIONS, Feature.DELETE_MARKERS)
_POSIX: Final = (Feature.OWNERS, Feature.MODES, Feature.TIMESTAMPS)
_NEW_TIME: Final = LossCell(
    carries=Carries.DROPPED,
    source="s3_time",
    note="the store writes its own; the old time is in the source's manifest",
)
_OWN_ROLES: Final = "the target's program makes its own"
# Mover to feature to cell. A cell that is missing is not known.
MATRIX: Final[Mapping[str, Mapping[Feature, LossCell]]] = {
    "atoll": {
        **_cells("atoll", (*_TYPE, Feature.TAGS, *_VERSIONED), (Feature.ACLS, Feature.STORAGE_CLASS)),
        Feature.TIMESTAMPS: _NEW_TIME,
    },
    "s3_replication": {
        **_cells(
            "replication",
            (*_TYPE, Feature.TAGS, Feature.VERSIONS, Feature.ACLS, Feature.STORAGE_CLASS, Feature.TIMESTAMPS),
            (),
        ),
        Feature.DELETE_MARKERS: LossCell(
            carries=Carries.DROPPED, source="replication", note="unless the rule turns their replication on"
        ),
    },
    "datasync": _cells(
        "datasync",
        (*_TYPE, Feature.TAGS),
        (*_VERSIONED, Feature.ACLS, Feature.STORAGE_CLASS, Feature.TIMESTAMPS),
    ),
    "datasync_files": _cells("datasync", _POSIX, ()),
    "storage_transfer": _cells(
        "sts", _TYPE, (Feature.TAGS, Feature.ACLS, Feature.TIMESTAMPS, Feature.STORAGE_CLASS, *_VERSIONED)
    ),
    "pg_dump": {
        **_cells("pg_dump", (Feature.SEQUENCES, Feature.LARGE_OBJECTS), ()),
        Feature.ROLES: LossCell(carries=Carries.DROPPED, source="pg_dump", note=_OWN_ROLES),
    },
    "cnpg_replica": _cells("cnpg", (Feature.SEQUENCES, Feature.LARGE_OBJECTS, Feature.ROLES), ()),
    "mysqldump": {Feature.ROLES: LossCell(carries=Carries.DROPPED, source="mysqldump", note=_OWN_ROLES)},
    "rsync": _cells("rsync", (*_POSIX, Feature.LINKS, Feature.ACLS, Feature.XATTRS), ()),
    "volsync": {
        **_cells("volsync", (Feature.TIMESTAMPS, Feature.LINKS), ()),
        **{
            each: LossCell(
                carries=Carries.DROPPED,
                source="volsync",
                note="unless the namespace allows privileged movers",
            )
            for each in (Feature.OWNERS, Feature.MODES, Feature.ACLS, Feature.XATTRS)
        },
    },
    "velero": {
        **_cells("velero", (*_POSIX, Feature.LINKS), ()),
        Feature.STATUS: LossCell(carries=Carries.DROPPED, source="velero", note="unless it is asked to restore it"),
    },
    "exported": _cells("kubernetes", (), (Feature.STATUS,)),
}
_NO_ACL: Final = LossCell(carries=Carries.DROPPED, source="ownership")
# What a store cannot hold, whoever writes it there.
CANNOT_HOLD: Final[Mapping[str, Mapping[Feature, LossCell]]] = {
    "aws": {Feature.ACLS: _NO_ACL},
    "minio": {Feature.ACLS: LossCell(carries=Carries.DROPPED, source="minio_acl")},
    "gcs": {
        Feature.TAGS: LossCell(carries=Carries.DROPPED, source="gcs_tags"),
        Feature.ACLS: _NO_ACL,
    },
    "coreweave": {Feature.TAGS: LossCell(carries=Carries.NOT_KNOWN, source="coreweave")},
    "seaweedfs": {Feature.ACLS: LossCell(carries=Carries.NOT_KNOWN, source="seaweedfs")},
}


def cell(mover: str, feature: Feature, *, kind: AssetKind, target: str = "") -> LossCell:
    """What becomes of a feature by a mover; of buckets, the target's store has the last word."""
    held = _find_target_limit(feature, kind=kind, target=target)
    if held is not None:
        return held
    return MATRIX.get(mover, {}).get(feature, LossCell(carries=Carries.NOT_KNOWN, source=""))


def _find_target_limit(feature: Feature, *, kind: AssetKind, target: str) -> LossCell | None:
    return CANNOT_HOLD.get(target, {}).get(feature) if kind is AssetKind.BUCKET else None


def losses(mover: Mover, kind: AssetKind, *, target: str, usage: FeatureUsage | None) -> tuple[FeatureLoss, ...]:
    """What a mover loses of what is used, or may lose where nobody has looked; most objects first."""
    found = [_build_loss(mover, feature, kind=kind, target=target, usage=usage) for feature in OF_KIND.get(kind, ())]
    return tuple(sorted((each for each in found if each is not None), key=lambda each: -(each.count or 0)))


def _build_loss(
    mover: Mover, feature: Feature, *, kind: AssetKind, target: str, usage: FeatureUsage | None
) -> FeatureLoss | None:
    there = cell(mover.name, feature, kind=kind, target=target)
    count = usage.of(feature) if usage else None
    if there.carries is Carries.KEPT or count == 0:
        return None
    who = f"the target ({target})" if _find_target_limit(feature, kind=kind, target=target) else mover.title
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
    """The mover of a thing.

    Args:
        loses: what it loses of what is used.
        unlooked: what it would lose if it is used: nobody has looked.
        why: in one sentence.
        counted: whether anybody has counted what the source uses.
        others: those that were not chosen, each with the reason.
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
    sure = [(mover, *_split_losses(lost)) for mover, lost in weighed]
    best = min(range(len(sure)), key=lambda index: (_weight(sure[index][1]), len(sure[index][2]), index))
    said = next((index for index, each in enumerate(sure) if each[0].name == named), None)
    spared = said is not None and _weight(sure[best][1]) < _weight(sure[said][1])
    instead = sure[best][0].title if spared else ""
    best = best if said is None else said
    mover, loses, unlooked = sure[best]
    others = tuple((each, _why_not(lost, open_)) for index, (each, lost, open_) in enumerate(sure) if index != best)
    why = _why(loses, unlooked, usage)
    if said is not None:
        why = f"{f'{instead} would lose less' if instead else why}; relocation.yaml names this one"
    return MoverChoice(mover=mover, loses=loses, unlooked=unlooked, why=why, counted=usage is not None, others=others)


def _split_losses(lost: tuple[FeatureLoss, ...]) -> tuple[tuple[FeatureLoss, ...], tuple[FeatureLoss, ...]]:
    open_ = (each for each in lost if each.count is None and each.missed)
    return tuple(each for each in lost if each.count), tuple(open_)


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
