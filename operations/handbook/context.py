"""From lock, checklist, catalog and outputs to the facts of a handbook; names are asked of the code that makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypedDict

from catalogs.catalog import load
from catalogs.providers import find_traits
from components.clouds.aws.nodepools import karpenter
from components.context.names import namespace, workloads
from components.platform.building_blocks import names
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror
from components.platform.building_blocks.images import resolve_image_reference
from components.platform.kubeflow import notebook_spawner
from components.platform.kubeflow import notebook_spawner as notebook_images
from components.platform.kubeflow.runtimes import runtimes_of
from components.platform.observability import loki, prometheus
from components.platform.scheduling import kueue, slurm
from components.platform.scheduling.multikueue import QUEUE
from operations.handbook.context_sections import (
    contacts,
    domain_of,
    files,
    homes,
    money,
    people,
    place,
    pools,
    responses,
    tiers,
)
from operations.handbook.facts import (
    ClusterOutputs,
    ElsewhereFacts,
    HandbookFacts,
    HandbookSettings,
    PageAddresses,
    RuntimeFacts,
    ShareFacts,
)
from operations.handbook.stack_outputs import read_outputs
from operations.project.accepted_lock import read_accepted_lock
from planning.agents.spend_guard import HOLD_HOURS
from planning.checklist.model.vocabulary import Ide
from planning.checklist.reading.checklist_file import read_file
from planning.platform.accelerators import TURNS
from planning.platform.slurm import shares
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal
    from pathlib import Path

    from catalogs.catalog import Catalog
    from components.platform.building_blocks.artifact_mirror import ArtifactMirror
    from operations.handbook.facts import ContactFacts, ResponseFacts
    from operations.project.workspace import Project
    from planning.checklist.model.checklist import Checklist
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


HOURS_PER_DAY: Final = 24
STORE: Final = "object_store"
# Target to who takes an empty node away, and after how many minutes, where the program says it.
EMPTY_MINUTES: Final = int(karpenter.EMPTY_FOR.removesuffix("m"))
PAGES: Final[Mapping[str, tuple[str, str]]] = {
    "dashboard": ("dashboard", names.DASHBOARD_HOST),
    "grafana": ("prometheus", names.GRAFANA_HOST),
    "mlflow": ("mlflow", names.MLFLOW_HOST),
    "airflow": ("airflow", names.AIRFLOW_HOST),
    "argo_cd": ("argo_cd", names.ARGO_CD_HOST),
}


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What a handbook is made from.

    Args:
        shelf: the software lock and the mirror, which say how images are named here.
    """

    lock: Lock
    checklist: Checklist
    catalog: Catalog
    shelf: ArtifactMirror
    outputs: ClusterOutputs = field(default_factory=ClusterOutputs)


class _Asked(TypedDict):
    """Fields of `Facts` that the checklist alone knows."""

    files: str
    dataset_gb: Decimal | None
    checkpoint_minutes: Mapping[str, int]
    contacts: tuple[ContactFacts, ...]
    responses: tuple[ResponseFacts, ...]


def _list_runtimes(sources: Sources, frameworks: Sequence[str]) -> tuple[RuntimeFacts, ...]:
    return tuple(
        RuntimeFacts(name=each.name, framework=each.framework, image=resolve_image_reference(each.image, sources.shelf))
        for each in runtimes_of(frameworks)
    )


def gather(sources: Sources) -> HandbookFacts:
    """The facts of the cluster at home.

    Raises:
        InputError: the lock installs nothing that people could work with.
    """
    lock, spec = sources.lock, sources.lock.spec
    platform = spec.platform
    if platform is None or not workloads(spec):
        raise InputError(
            f"{lock.stack} has no platform to work with, so there is nothing to write a handbook about",
            hint="accept an option with workloads that have nodes",
        )
    frameworks = tuple(dict.fromkeys(each for work in platform.works for each in work.frameworks))
    listed = pools(lock, sources.catalog)
    return HandbookFacts(
        stack=lock.stack,
        customer=spec.customer.name,
        owner=spec.customer.owner,
        option=lock.option,
        **place(spec, title=_title(spec, sources.catalog)),
        parts=frozenset(part.name for part in platform.parts),
        versions={part.name: part.version for part in platform.parts},
        pools=listed,
        homes=homes(lock, listed),
        people=people(spec),
        tiers=tiers(spec, sources.outputs),
        **_read_checklist_fields(sources.checklist),
        ides=tuple(spec.ides or tuple(Ide)),
        images=_images(sources, frameworks),
        frameworks=frameworks,
        runtimes=_list_runtimes(sources, frameworks),
        tracker=_tracker(spec, platform),
        object_store=platform.object_store if platform.part(STORE) or platform.object_store == "provider" else "",
        s3_address=names.S3_ADDRESS,
        collector=names.COLLECTOR,
        **files(spec),
        sharing=platform.sharing,
        scale_to_zero=platform.part("knative") is not None,
        elsewhere=tuple(_elsewhere(each, sources) for each in lock.placements[1:]),
        shares=_shares(spec) if platform.part("slurm") else (),
        **money(lock),
        addresses=_addresses(platform, domain_of(spec)),
        settings=_settings(spec, platform),
        outputs=sources.outputs,
    )


def _images(sources: Sources, frameworks: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    spec = sources.lock.spec
    wanted = spec.ides or tuple(Ide)
    devices = {notebook_spawner.device(pool.accelerator) for pool in spec.pools if pool.accelerator}
    offered = {
        Ide.JUPYTERLAB: notebook_images.jupyter_images(frameworks, devices),
        Ide.VSCODE: (notebook_images.CODE,),
    }
    return {
        str(ide): tuple(resolve_image_reference(image, sources.shelf) for image in images)
        for ide, images in offered.items()
        if ide in wanted
    }


def _tracker(spec: ClusterSpec, platform: Platform) -> str:
    """The tracker that people use; "" where MLflow is asked for and not installed."""
    return "" if spec.tracker == "mlflow" and platform.part("mlflow") is None else spec.tracker


def _checkpoints(checklist: Checklist) -> dict[str, int]:
    """Minutes between checkpoints that the quote reckons with, by workload."""
    asked = {work.name: getattr(work, "checkpointing", None) for work in checklist.workloads}
    return {name: each.every_minutes for name, each in asked.items() if each is not None and each.enabled}


def _read_checklist_fields(checklist: Checklist) -> _Asked:
    agreement, dataset = checklist.agreement, checklist.dataset
    return _Asked(
        files="" if dataset is None else str(dataset.files),
        dataset_gb=None if dataset is None else dataset.size,
        checkpoint_minutes=_checkpoints(checklist),
        contacts=contacts(agreement),
        responses=responses(agreement),
    )


def _title(spec: ClusterSpec, catalog: Catalog) -> str:
    known = catalog.providers.get(spec.placement.provider)
    return spec.placement.provider if known is None else known.title


def _elsewhere(spec: ClusterSpec, sources: Sources) -> ElsewhereFacts:
    return ElsewhereFacts(
        name=spec.placement.name,
        provider=_title(spec, sources.catalog),
        region=spec.placement.region,
        namespaces=tuple(namespace(each) for each in workloads(spec)),
        queue=QUEUE if sources.lock.joined else "",
    )


def _shares(spec: ClusterSpec) -> tuple[ShareFacts, ...]:
    return tuple(
        ShareFacts(
            pool=share.pool.name,
            nodes=share.nodes,
            standing=share.standing,
            per_node=share.pool.accelerators,
        )
        for share in shares(spec)
    )


def _addresses(platform: Platform, domain: str) -> PageAddresses:
    return PageAddresses(
        **{page: f"https://{host}.{domain}" for page, (part, host) in PAGES.items() if platform.part(part) is not None}
    )


def _settings(spec: ClusterSpec, platform: Platform) -> HandbookSettings:
    return HandbookSettings(
        idle_minutes=platform.idle_minutes,
        workspace_gib=notebook_spawner.WORKSPACE_GIB,
        turns=TURNS,
        start_minutes=kueue.START_MINUTES,
        recovery_minutes=kueue.RECOVERY_MINUTES,
        retries=kueue.RETRIES,
        metrics_days=int(prometheus.KEPT.removesuffix("d")),
        logs_days=int(loki.KEPT_FOR.removesuffix("h")) // HOURS_PER_DAY,
        hold_hours=HOLD_HOURS,
        empty_minutes=EMPTY_MINUTES if find_traits(spec.placement.target).spot_fallback else None,
        slurm_percent=slurm.WORKER_PERCENT,
    )


def facts_of(project: Project, stack: str, *, outputs: Path | None = None) -> HandbookFacts:
    """The facts of a stack.

    Raises:
        InputError: no lock, a checklist that does not read, or outputs that are not this stack's.
    """
    lock = read_accepted_lock(project, stack)
    mirror = lock.spec.platform.mirror if lock.spec.platform is not None else ""
    return gather(
        Sources(
            lock=lock,
            checklist=read_file(project.checklist(stack)),
            catalog=load(),
            shelf=read_artifact_mirror(mirror, project=project.root),
            outputs=ClusterOutputs() if outputs is None else read_outputs(outputs, lock=lock),
        )
    )
