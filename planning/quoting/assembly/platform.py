"""The platform of an option: parts by the checklist, device parts by the provider's profile, teams and shares."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from catalogs.providers import unreachable
from catalogs.software.reader import RELEASE, parts
from planning.checklist.model.workload import Notebooks
from planning.platform.accelerators import NVIDIA, device, slices
from planning.platform.component_selection import choose, scales_to_zero
from planning.platform.log_forwarding import access_said
from planning.platform.queues import without_slurm_nodes
from planning.quoting.assembly.teams import team_shares
from planning.spec.platform import Forwarding, Platform, PlatformComponent, Skipped, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from catalogs.providers import KubernetesProfile
    from catalogs.software.model import SoftwareComponent
    from planning.checklist.model.checklist import Checklist, MainCloud
    from planning.spec.cluster import Pool, Profile


OURS: Final = "atoll"
EFA: Final = "vpc.amazonaws.com/efa"
INFINIBAND: Final = "infiniband"  # RoCE and GPUDirect are set up by the clouds that have them
NO_ACCELERATOR: Final = "no pool has accelerators of NVIDIA"
BY_OPERATOR: Final = "the GPU Operator brings it"
NO_FABRIC: Final = "no job spans nodes over a fabric whose plugin is ours"
REPAIRED: Final = "the provider sees nodes fail and repairs them"
LEFT_OUT: Final = "left out by platform.without"


def device_parts(
    profile: Profile, pools: Sequence[Pool], *, checklist: Checklist | None = None
) -> tuple[list[SoftwareComponent], dict[str, str]]:
    """The parts that are ours, and of the others the reason why not.

    Args:
        checklist: what is left out of them, and how accelerators are shared.

    Raises:
        InputError: an accelerator of the notebooks cannot be cut as the checklist wants it.
    """
    against = {name: reason for name, reason in _reasons(profile, pools).items() if reason}
    if checklist is not None:
        if profile.gpu_driver == OURS:
            _cut(checklist, pools)
        without = checklist.platform.without
        against |= {part.name: LEFT_OUT for part in parts().values() if part.owns and part.name in without}
    return [part for part in parts().values() if part.owns and part.name not in against], against


def _cut(checklist: Checklist, pools: Sequence[Pool]) -> None:
    """Refuses slices that the notebooks' accelerators do not have."""
    notebooks = {work.name for work in checklist.workloads if isinstance(work, Notebooks)}
    if checklist.platform.sharing == "mig":
        for pool in pools:
            if pool.accelerator and pool.workload in notebooks:
                slices(pool.accelerator, checklist.platform.mig_profile or "")


def _reasons(profile: Profile, pools: Sequence[Pool]) -> dict[str, str]:
    nvidia = any(device(pool.accelerator) == NVIDIA for pool in pools)
    operator = profile.gpu_driver == OURS
    joined = profile.network_plugin == OURS
    efa = joined and any(pool.efa_interfaces and pool.max_nodes > 1 for pool in pools)
    rdma = joined and any(pool.fabric == INFINIBAND and pool.max_nodes > 1 for pool in pools)
    none = "" if nvidia else NO_ACCELERATOR
    return {
        "gpu_operator": none or ("" if operator else "the provider's image brings the driver"),
        "device_plugin": none or explain_missing_plugin(profile),
        "dcgm_exporter": none or _ours(profile.dcgm_exporter, operator=operator),
        "efa_plugin": "" if efa and profile.rdma_resource == EFA else NO_FABRIC,
        "network_operator": "" if rdma and profile.rdma_resource != EFA else NO_FABRIC,
        "node_problem_detector": REPAIRED if profile.node_repair == "provider" else "",
    }


def explain_missing_plugin(profile: Profile | KubernetesProfile) -> str:
    """Why the NVIDIA device plugin is not a part of ours at a provider; "" where it is."""
    return _ours(profile.device_plugin, operator=profile.gpu_driver == OURS)


def _ours(owner: str, *, operator: bool) -> str:
    if operator:
        return BY_OPERATOR
    return "" if owner == OURS else "the provider brings it" if owner == "provider" else "not needed here"


FORBIDDEN: Final = "the provider forbids it"
# research of 2026-11-21: github.com/minio/minio README of 2026-02-11, and the repository's state.
MINIO: Final = (
    "object store: MinIO's upstream has been archived since 2026 and makes no more images; what is installed is pinned."
    " `platform.object_store: seaweedfs` puts another engine behind the same address"
)


def platform(checklist: Checklist, *, profile: Profile, pools: Sequence[Pool]) -> Platform:
    """The platform of the primary placement.

    Raises:
        InputError: teams are guaranteed more accelerators than the pools have.
    """
    choice = choose(checklist)
    devices, none_of = device_parts(profile, pools, checklist=checklist)
    asked = checklist.platform
    refused = _find_incompatible_components((*choice.chosen, *devices), profile=profile, store=asked.object_store)
    allowed = [part for part in (*choice.chosen, *devices) if part.name not in refused]
    there = {part.name for part in allowed}
    kinds = {work.name: work.kind for work in checklist.workloads}
    queued = without_slurm_nodes(pools, kinds=kinds, orchestration=checklist.orchestration)
    return Platform.model_validate(
        {
            "release": RELEASE,
            "size": choice.size,
            "parts": tuple(
                _build_component(part.name, tuple(need for need in part.needs if need in there))
                for part in parts().values()
                if part.name in there
            ),
            "skipped": tuple(
                Skipped(name=name, title=parts()[name].title, reason=reason)
                for name, reason in {**choice.skipped, **none_of, **refused}.items()
            ),
            "works": tuple(
                Work(name=work.name, kind=work.kind, frameworks=tuple(map(str, work.frameworks)), spot=work.spot)
                for work in checklist.workloads
            ),
            "teams": team_shares(checklist, queued),
            "object_store": asked.object_store,
            "sso": checklist.access.sso,
            "mirror": asked.mirror or "",
            "digests": asked.digests,
            "idle_minutes": asked.idle_minutes,
            "sharing": asked.sharing if shares_here(checklist, profile) else "none",
            "mig_profile": asked.mig_profile or "",
            "handover": asked.handover,
            "scale_to_zero": scales_to_zero(checklist),
            "slo_percent": checklist.slo_percent,
            "forwarding": _forwarding(checklist.main_cloud),
        }
    )


def _find_incompatible_components(
    chosen: Iterable[SoftwareComponent], *, profile: Profile, store: str
) -> dict[str, str]:
    """Parts that do not go with the provider, by name, and why."""
    found: dict[str, str] = {}
    for part in chosen:
        reason = unreachable(part.name, store=store, provider=profile.provider)
        if part.forbidden_by in profile.forbidden:
            found[part.name] = FORBIDDEN
        elif reason:
            found[part.name] = reason
    return found


def shares_here(checklist: Checklist, profile: Profile) -> bool:
    """Whether accelerators can be shared as asked: whoever owns the driver, or the plugin, sets that up."""
    ours = {
        "none": True,
        "mig": profile.gpu_driver == OURS,
        "time_slicing": OURS in (profile.gpu_driver, profile.device_plugin),
    }
    return ours[checklist.platform.sharing]


@cache
def _build_component(name: str, needs: tuple[str, ...]) -> PlatformComponent:
    part = parts()[name]
    return PlatformComponent(
        name=name,
        title=part.title,
        kind=part.kind.value,
        chart=part.chart,
        repository=part.repository,
        version=part.version,
        ref=part.ref,
        namespace=part.namespace,
        needs=needs,
        disk_gb=part.disk_gb,
    )


def _forwarding(main: MainCloud | None) -> Forwarding | None:
    if main is None or not main.logs_and_metrics:
        return None
    return Forwarding(provider=main.provider.value, region=main.region, account=main.account)


def store_notice(checklist: Checklist) -> Iterator[str]:
    """What a reader should know of the object store that was chosen."""
    if checklist.platform.object_store == "minio" and "minio" not in checklist.platform.without:
        yield MINIO


def forwarding_notice(checklist: Checklist, *, target: str) -> Iterator[str]:
    """What the customer has to give, so that the main cloud sees logs and metrics."""
    to = _forwarding(checklist.main_cloud)
    said = access_said(to, target=target) if to is not None else ""
    if said:
        yield said


def not_installed(platform: Platform) -> Iterator[str]:
    """The skipped parts in one line; each has its reason in the plan."""
    if platform.skipped:
        titles = ", ".join(part.title for part in platform.skipped)
        yield f"platform components, each for the reason that `atoll plan` names: {titles}"
