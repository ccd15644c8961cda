"""Helm releases: charts from their repository or the mirror, at the version in the lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.software.reader import software
from components.platform.building_blocks.artifact_mirror import UP, read_program_mirror
from components.platform.building_blocks.images import image_values, merge_values, values_from
from planning.platform.mirror import OCI, chart_file, is_registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext
    from components.platform.building_blocks.context import PlatformResource
    from planning.platform.digests import Sourced

SECONDS_TO_START: Final = 900


def release(
    own: PlatformResource, values: Mapping[str, object], *, name: str = "", after: Sequence[pulumi.Resource] = ()
) -> kubernetes.helm.v3.Release:
    """The release of a component's chart; it ends when its pods are up.

    Args:
        values: what differs from the chart's defaults; every key must exist there. Images and registries are added
            from the catalog, the mirror and the software lock.
        name: logical name, and that of the release; those of the component by default.
        after: what must be there before it.
    """
    part, context = own.part, own.context
    found = find_chart_source(part, mirror=context.platform.mirror)
    return kubernetes.helm.v3.Release(
        name or own.name,
        name=name or own.name,
        chart=found.chart,
        repository_opts={"repo": found.repository} if found.repository else None,
        namespace=part.namespace,
        version=part.version,
        values=merge_values(values, image_values(part, context)),
        timeout=SECONDS_TO_START,
        opts=pulumi.ResourceOptions(parent=own, depends_on=list(after)),
    )


def build_resources(cpu: str, memory: str, *, limit: str = "") -> dict[str, object]:
    """Requests of a container, and the limit of its memory."""
    # Cores have no limit, so free ones may be used.
    found: dict[str, object] = {"requests": {"cpu": cpu, "memory": memory}}
    return {**found, "limits": {"memory": limit}} if limit else found


@dataclass(frozen=True, kw_only=True)
class ChartSource:
    """Where a chart comes from.

    Args:
        chart: its name, its address in a registry, or its file.
        repository: address of a classic repository; "" else.
    """

    chart: str
    repository: str = ""


def release_cluster_chart(
    name: str,
    *,
    values: Mapping[str, object] | None = None,
    site: PlacementContext,
    skip_crds: bool = False,
    opts: pulumi.ResourceOptions,
) -> kubernetes.helm.v3.Release:
    """The release of a chart that the builder of a cluster installs, with or without a platform.

    Args:
        name: of a row of the software catalog.
    """
    row = software()[name]
    found = find_chart_source(row, mirror=site.mirror)
    shelf = read_program_mirror(site.mirror, offline=site.settings.offline)
    return kubernetes.helm.v3.Release(
        row.chart,
        name=row.chart,
        chart=found.chart,
        repository_opts={"repo": found.repository} if found.repository else None,
        namespace=row.namespace,
        version=row.version,
        skip_crds=skip_crds,
        values=merge_values(values or {}, values_from(name, shelf)),
        opts=opts,
    )


def find_chart_source(part: Sourced, *, mirror: str) -> ChartSource:
    """Source of a component's chart; a mirror is a registry ("oci://registry/path") or a folder of charts."""
    if is_registry(mirror):
        return ChartSource(chart=f"{mirror.rstrip('/')}/{part.chart}")
    if mirror:
        return ChartSource(chart=str(UP / mirror / chart_file(part)))
    if part.repository.startswith(OCI):
        return ChartSource(chart=f"{part.repository}/{part.chart}")
    return ChartSource(chart=part.chart, repository=part.repository)
