"""A round of copying a bucket: what changed since the last one, every byte hashed as it is read at the source."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from components.agents.mover import transfer
from components.agents.mover.bandwidth import Bandwidth
from components.agents.mover.ledger import Ledger
from components.agents.mover.manifests.manifest import ManifestWriter
from components.agents.mover.round_model import CopyOptions, RoundReport
from components.agents.mover.rounds import Round
from components.agents.mover.store.model import Place, StoreError
from components.agents.mover.store.s3_client import connect
from components.agents.mover.worker_pool import Crew

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from components.agents.mover.store.s3_client import S3Store

__all__ = ("MANIFEST", "CopyOptions", "RoundReport", "copy_round")
MANIFEST: Final = "source.manifest"


def copy_round(
    source: Place, target: Place, *, folder: Path, options: CopyOptions, say: Callable[[str], None]
) -> RoundReport:
    """Copy what is not at the target yet, and delete there what we copied and the source no longer has.

    Raises:
        StoreError: a store, a bucket or keys are at fault, so that going on makes no sense; what was copied is written
            down, and the next round goes on from there.
    """
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(folder, source=source, target=target, versions=options.versions))
        limit = Bandwidth(options.bandwidth_mib_per_s)
        left, right = connect(source), connect(target)
        stack.callback(left.close)
        stack.callback(right.close)
        if options.versions:
            _need_versions(left, right)
        manifest = ManifestWriter(folder / MANIFEST, bucket=source.bucket, facts={"read": "while it was copied"})
        stack.callback(manifest.abandon)
        if options.tags_counted:
            _need_tags(left)
        crew = Crew(
            source, target, threads=options.transfers, spend=limit.take, part_size=transfer.part_size(options.part_size)
        )
        stack.callback(crew.close)
        stack.callback(crew.stopping.set)
        round_ = Round(ledger=ledger, manifest=manifest, crew=crew, options=options, say=say)
        report = round_.run(left, right)
        if not report.stopped:
            manifest.close()
            report.manifest = str(folder / MANIFEST)
    return report


def _need_tags(source: S3Store) -> None:
    """A store that may not tell the tags does not tell their number either, and a copy would lose them silently."""
    for each in source.listing():
        try:
            source.tags(each.key)
        except StoreError as error:
            if error.code == "AccessDenied":
                raise StoreError(f"tags cannot be read, and would be lost: {error}", code=error.code) from None
            if error.code != "NoSuchKey":
                raise
            continue
        return


def _need_versions(*stores: S3Store) -> None:
    for each in stores:
        if not each.versioned():
            raise StoreError(
                f"bucket {each.place.bucket} at {each.place.endpoint} keeps no versions, and versions are to be copied",
                code="NotVersioned",
            )
