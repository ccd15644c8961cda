"""Movers in a cluster as relocation.yaml asks for them; the cluster's client is imported once one is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from operations.relocation.buckets import pairs as stores
from operations.relocation.jobs.copies import ClusterMovers
from operations.relocation.jobs.objects import IMAGE, Peer
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from operations.relocation.config.endpoints import MoversPlace, Places, Toleration
    from operations.relocation.jobs.copies import JobRunner
    from operations.relocation.runner.step import Evidence, Move

    Open = Callable[[Places, Mapping[str, str]], ClusterMovers]


def cluster_movers(places: Places, secrets: Mapping[str, str]) -> ClusterMovers:
    """Movers in the cluster of the side that was chosen.

    Raises:
        StepError: nobody says where they run, or the cluster cannot be opened.
    """
    if places.movers is None:
        raise StepError('"movers" is missing from relocation.yaml: a bucket has the mover cluster')
    from operations.relocation.jobs.runs import open_job_runs  # noqa: PLC0415 - the SDK, only where a cluster is asked

    side = places.movers.side
    return movers_on(open_job_runs(getattr(places, side), secrets, words=side), places.movers)


def remove_stale_jobs(move: Move, *, ledgers: bool = False, open_movers: Open = cluster_movers) -> Evidence:
    """Remove from the cluster what a killed run left there: Jobs that nobody waits for any more, and their keys.

    Args:
        ledgers: whether the volumes with the ledgers go too; only once the relocation has ended.

    Raises:
        StepError: the cluster cannot be opened or refused.
    """
    pairs = stores.pair_buckets(move.places, folder=move.folder, secrets=move.secrets)
    theirs = [each for each in pairs if each.bucket.mover == "cluster" and each.folder.exists()]
    if not theirs:
        return {}
    movers = open_movers(move.places, move.secrets)
    with stores.translate_store_errors():
        gone = [
            name
            for each in theirs
            for name in movers.leave(
                each.source, each.target, folder=each.folder, reserved=stores.RESERVED, ledgers=ledgers
            )
        ]
    return {"movers_removed": gone, "ledgers": "removed" if ledgers else "kept"}


def movers_on(runs: JobRunner, asked: MoversPlace) -> ClusterMovers:
    """The same on a cluster that is open."""
    addresses = {"source": asked.source_address, "target": asked.target_address}
    return ClusterMovers(
        runs=runs,
        namespace=asked.namespace,
        peers=tuple(
            Peer(port=each.port, cidr=each.cidr, namespace=each.namespace, labels=each.labels) for each in asked.peers
        ),
        endpoints={side: address for side, address in addresses.items() if address},
        storage_class=asked.storage_class,
        claim_gib=asked.claim_gib,
        shards=asked.shards,
        parallelism=asked.parallelism,
        node_selector=asked.node_selector,
        tolerations=tuple(_toleration(each) for each in asked.tolerations),
        queue=asked.queue,
        image=asked.image or IMAGE,
        monitored=asked.monitored,
    )


def _toleration(asked: Toleration) -> dict[str, str]:
    """As a pod has it, without what is not said."""
    return {name: value for name, value in asked.model_dump().items() if value}
