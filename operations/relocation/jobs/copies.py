"""Copies and manifests by Jobs in a cluster: the same movers as here, in shards, next to the data."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeAlias

from components.agents.mover.rounds import MANIFEST
from components.agents.mover.store import s3_client
from components.agents.mover.store.model import BucketEndpoint, StoreError
from operations.relocation.buckets import pairs as stores
from operations.relocation.jobs import results
from operations.relocation.jobs.objects import LABEL, Manifest, MoverJob, authorities_of, keys_of, list_objects
from operations.relocation.jobs.results import COPY, Deposits, MoverRun, Result, kinds
from operations.relocation.runner.step import Evidence, Move, StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from components.agents.mover.scan import ScanRequest, ScanResult
    from components.agents.mover.transfer_plan import CopyOptions, RoundReport
    from operations.relocation.config.endpoints import MoversPlace, Places
    from operations.relocation.jobs.runs import JobEnd, JobRuns


Open: TypeAlias = "Callable[[Places, Mapping[str, str]], ClusterMovers]"
DEPOSITS: Final = "movers/"  # below the reserved prefix
CLAIM: Final = "PersistentVolumeClaim"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterMovers:
    """Copy workers in a cluster.

    Args:
        pods: as relocation.yaml asks for them; their shards are the same in every round, for each has its own ledger.
    """

    runs: JobRuns
    pods: MoversPlace
    connect: Callable[[BucketEndpoint], s3_client.S3Store] = s3_client.connect

    def copy_round(
        self,
        source: BucketEndpoint,
        target: BucketEndpoint,
        *,
        folder: Path,
        options: CopyOptions,
        say: Callable[[str], None],
    ) -> RoundReport:
        """Copy changes, as `rounds.copy_round`; a Job that is running is waited for.

        Raises:
            StepError: the cluster refused, or movers ended without a result.
            StoreError: what movers left at the target cannot be read.
        """
        spec: dict[str, object] = {
            "do": "copy",
            "reserved": options.reserved,
            "versions": options.versions,
            "counts_tags": options.tags_counted,
            "tags_again": options.tags_again,
            "transfers": options.transfers,
        }
        rate = options.bandwidth_mib_per_s
        with self._run(MoverRun(spec=spec, kind=COPY, folder=folder, rate=rate), source, target, say) as (ended, found):
            done = self._read_report(found, ended)
            # Otherwise some shard has no manifest, or one that the next round replaces.
            if ended.done and not done.failures and not done.foreigns:
                found.fetch_manifest(folder / MANIFEST)
                done.manifest = str(folder / MANIFEST)
        return done

    def take(
        self,
        source: BucketEndpoint,
        target: BucketEndpoint,
        wanted: ScanRequest,
        path: Path,
        *,
        say: Callable[[str], None],
        mib_per_s: float | None = None,
    ) -> ScanResult:
        """Write the manifest of one side.

        Args:
            target: where movers leave their manifests, whichever side they look at.
            path: its name tells looks apart that are under way at once.
            mib_per_s: what all of them may read together; None for all there is.

        Raises:
            StepError: the cluster refused, or movers ended without a result.
            StoreError: what movers left at the target cannot be read.
            ManifestError: a shard's manifest cannot be believed.
        """
        side = "source" if wanted.place == source else "target"
        spec: dict[str, object] = {
            "do": "look",
            "looks_at": side,
            "reserved": wanted.reserved,
            "versions": wanted.versions,
            "counts_tags": wanted.counts_tags,
            "transfers": wanted.threads,
            "sample_percent": wanted.sample.percent,
            "sample_seed": wanted.sample.seed,
        }
        kind = f"look-{path.stem}"  # a look for another file may be under way
        run = MoverRun(spec=spec, kind=kind, folder=path.parent, rate=mib_per_s)
        with self._run(run, source, target, say) as (ended, found):
            seen = results.whole_look(self._read_results(found, ended))
            found.fetch_manifest(path)
        return seen

    def leave(
        self, source: BucketEndpoint, target: BucketEndpoint, *, folder: Path, reserved: str, ledgers: bool
    ) -> list[str]:
        """Remove leftovers of a killed process for one bucket, Secrets first; names of the Jobs.

        Args:
            ledgers: whether what was copied is forgotten too; another copy would find everything to be somebody else's.

        Raises:
            StepError: the cluster refused.
        """
        gone: list[str] = []
        for kind in kinds(folder):
            run = MoverRun(spec={"reserved": reserved}, kind=kind, folder=folder, rate=None)
            known = run.read_known(shards=self.pods.shards)
            job = self._build_job(run, source, target, number=known.get("number", 0))
            if known.get("open"):
                self._give_up(job, source, target, run)
                run.write(known["number"], shards=self.pods.shards, is_open=False)
                gone.append(job.name)
            # Without its ledger another copy would find everything at the target to be somebody else's.
            if ledgers and job.claim:
                self.runs.remove([self._build_claim(job)])
        return gone

    @contextmanager
    def _run(
        self, run: MoverRun, source: BucketEndpoint, target: BucketEndpoint, say: Callable[[str], None]
    ) -> Generator[tuple[JobEnd, Deposits]]:
        """Run a Job to its end; its results are removed once they are read."""
        state = run.read_known(shards=self.pods.shards)
        number = state.get("number", 0)
        # A process that was killed may have left a Job that still works: its answer is of another question.
        if state.get("open") and not run.goes_on(state):
            self._give_up(self._build_job(run, source, target, number=number), source, target, run)
            run.write(number, shards=self.pods.shards, is_open=False)
            state = {}
        if not state.get("open"):
            number += 1
            # Written before the Job exists: a process that is killed between the two looks for it again.
            run.write(number, shards=self.pods.shards, is_open=True)
        job = self._build_job(run, source, target, number=number)
        objects = self._build_objects(job, source, target)
        self.runs.start(objects)
        ended = self.runs.wait(objects[-1], say=say)
        deposits = self._build_deposits(job, target, run)
        try:
            yield ended, deposits
            # Only once they were read: what raises above leaves them for the next run.
            deposits.remove()
        finally:
            self.runs.remove(self._exclude_ledgers(objects))
            run.write(number, shards=self.pods.shards, is_open=False)

    def _give_up(self, job: MoverJob, source: BucketEndpoint, target: BucketEndpoint, run: MoverRun) -> None:
        """Remove a Job of a killed process whose result would be outdated."""
        self.runs.remove(self._exclude_ledgers(self._build_objects(job, source, target)))
        self._build_deposits(job, target, run).remove()

    def _build_objects(self, job: MoverJob, source: BucketEndpoint, target: BucketEndpoint) -> list[Manifest]:
        return [
            *([self._build_claim(job)] if job.claim else []),
            *keys_of(job, source, target),
            *authorities_of(job, source, target),
            *list_objects(job),
        ]

    @staticmethod
    def _exclude_ledgers(objects: list[Manifest]) -> list[Manifest]:
        """Objects that end with a round: all but the ledgers."""
        return [each for each in objects if each["kind"] != CLAIM]

    def _build_deposits(self, job: MoverJob, target: BucketEndpoint, run: MoverRun) -> Deposits:
        return Deposits(
            connect=self.connect,
            target=target,
            deposits=str(job.spec["deposits"]),
            name=job.name,
            shards=self.pods.shards,
            folder=run.folder / "movers",
        )

    def _read_report(self, deposits: Deposits, ended: JobEnd) -> RoundReport:
        return results.whole_round(self._read_results(deposits, ended))

    def _read_results(self, deposits: Deposits, ended: JobEnd) -> list[Result]:
        try:
            return deposits.read_results()
        except StoreError as error:
            if ended.done:
                raise
            raise StepError(
                f"movers of shards {ended.failed_shards or 'that never ran'} ended without a result: {ended.why}",
                hint=f"kubectl logs -n {self.pods.namespace} -l {LABEL} says why",
            ) from error

    def _build_job(self, run: MoverRun, source: BucketEndpoint, target: BucketEndpoint, *, number: int) -> MoverJob:
        reserved = str(run.spec["reserved"])
        if not reserved:
            raise StepError("movers in a cluster need a prefix for what they leave at the target")
        sides = {"source": source, "target": target}
        digest = sha256(f"{source.endpoint}/{source.bucket}/{target.bucket}".encode()).hexdigest()[:10]
        name = f"atoll-{digest}-{run.kind}-{number}"
        spec: dict[str, object] = {
            **run.spec,
            "name": name,
            "deposits": f"{reserved}{DEPOSITS}",
            **{side: self._build_endpoint(side, place) for side, place in sides.items()},
        }
        return MoverJob(
            name=name,
            pods=self.pods,
            spec=spec,
            secrets={side: f"{name}-{side}" for side in sides},
            authorities={side: f"{name}-{side}-authority" for side, place in sides.items() if place.authority},
            claim=f"atoll-{digest}-ledgers" if run.kind == COPY else "",
            mib_per_s=run.rate,
        )

    def _build_endpoint(self, side: str, place: BucketEndpoint) -> dict[str, object]:
        address = self.pods.source_address if side == "source" else self.pods.target_address
        return {
            "endpoint": address or place.endpoint,
            "region": place.region,
            "bucket": place.bucket,
            "path_style": place.path_style,
        }

    def _build_claim(self, job: MoverJob) -> Manifest:
        kind = {"storageClassName": self.pods.storage_class} if self.pods.storage_class else {}
        return {
            "apiVersion": "v1",
            "kind": CLAIM,
            "metadata": {"name": job.claim, "namespace": self.pods.namespace},
            "spec": {
                "accessModes": ["ReadWriteMany" if self.pods.parallelism > 1 else "ReadWriteOnce"],
                "resources": {"requests": {"storage": f"{self.pods.claim_gib}Gi"}},
                **kind,
            },
        }


def cluster_movers(places: Places, secrets: Mapping[str, str]) -> ClusterMovers:
    """Copy workers in the cluster of the chosen side.

    Raises:
        StepError: "movers" is missing, or the cluster cannot be opened.
    """
    if places.movers is None:
        raise StepError('"movers" is missing from relocation.yaml: a bucket has "mover: cluster"')
    from operations.relocation.jobs.runs import open_job_runs  # noqa: PLC0415 - the SDK, only where a cluster is asked

    side = places.movers.side
    return ClusterMovers(runs=open_job_runs(getattr(places, side), secrets, words=side), pods=places.movers)


def remove_stale_jobs(move: Move, *, ledgers: bool = False, open_movers: Open = cluster_movers) -> Evidence:
    """Remove from the cluster what a killed run left: its Jobs and their Secrets.

    Args:
        ledgers: whether the volumes with the ledgers go too; only once the relocation has ended.

    Raises:
        StepError: the cluster cannot be opened or refused.
    """
    pairs = stores.pair_buckets(move)
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
