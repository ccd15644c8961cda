"""A part's Helm chart, from its source or from the mirror, at the version that was decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_kubernetes as kubernetes

from catalogs.software.reader import software
from components.platform.building_blocks.artifact_mirror import UP, of_program
from components.platform.building_blocks.images import image_values, merged, values_from
from planning.platform.mirror import OCI, chart_file, is_registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.context.placement import Site
    from components.platform.building_blocks.context import Ground
    from planning.platform.digests import Sourced
    from planning.spec.platform import Installed

SECONDS_TO_START: Final = 900


def release(
    name: str,
    part: Installed,
    *,
    values: Mapping[str, object],
    ground: Ground,
    parent: pulumi.Resource,
    depends_on: list[pulumi.Resource] | None = None,
) -> kubernetes.helm.v3.Release:
    """The release of a chart; it ends when its pods are up.

    Args:
        name: logical name, and that of the release.
        values: what differs from the chart's defaults; every key must exist there. Which images are pulled, and from
            where, is put over them: that is in the catalog, the mirror and the software lock.
    """
    found = source(part, mirror=ground.platform.mirror)
    return kubernetes.helm.v3.Release(
        name,
        name=name,
        chart=found.chart,
        repository_opts={"repo": found.repository} if found.repository else None,
        namespace=part.namespace,
        version=part.version,
        values=merged(values, image_values(part, ground)),
        timeout=SECONDS_TO_START,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=depends_on),
    )


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a chart is read.

    Args:
        chart: its name, its address in a registry, or its file.
        repository: address of a classic repository; "" else.
    """

    chart: str
    repository: str = ""


def beneath(
    name: str,
    *,
    values: Mapping[str, object] | None = None,
    site: Site,
    skip_crds: bool = False,
    opts: pulumi.ResourceOptions,
) -> kubernetes.helm.v3.Release:
    """The release of a chart that a target's builder installs, platform or not; of the catalog's row of that name."""
    row = software()[name]
    found = source(row, mirror=site.mirror)
    shelf = of_program(site.mirror, offline=site.settings.offline)
    return kubernetes.helm.v3.Release(
        row.chart,
        name=row.chart,
        chart=found.chart,
        repository_opts={"repo": found.repository} if found.repository else None,
        namespace=row.namespace,
        version=row.version,
        skip_crds=skip_crds,
        values=merged(values or {}, values_from(name, shelf)),
        opts=opts,
    )


def source(part: Sourced, *, mirror: str) -> Source:
    """Where a part's chart is read: a mirror is a registry ("oci://registry/path") or a folder with charts in it."""
    if is_registry(mirror):
        return Source(chart=f"{mirror.rstrip('/')}/{part.chart}")
    if mirror:
        return Source(chart=str(UP / mirror / chart_file(part)))
    if part.repository.startswith(OCI):
        return Source(chart=f"{part.repository}/{part.chart}")
    return Source(chart=part.chart, repository=part.repository)
