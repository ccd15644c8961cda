"""Shared by the pods of private access: images, labels and rights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi_kubernetes as kubernetes

from catalogs.software.model import split
from catalogs.software.reader import images_of
from components.context.names import SYSTEM_NAMESPACE
from components.platform.building_blocks.artifact_mirror import read_program_mirror
from components.platform.building_blocks.images import resolve_image_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pulumi
    from pulumi_kubernetes.core.v1 import ContainerArgsDict, PodSpecArgsDict, SecurityContextArgsDict, VolumeArgsDict
    from pulumi_kubernetes.meta.v1 import ObjectMetaArgsDict

    from components.context.placement import PlacementContext

PART: Final = "ways_in"  # of the software catalog


@dataclass(frozen=True, kw_only=True)
class AccessImages:
    """References of the images.

    Args:
        wireguard: with iptables, iproute2 and bash (github.com/linuxserver/docker-wireguard).
        strongswan: as its project builds it (hub.docker.com/r/strongx509/strongswan); amd64 only.
        busybox: a shell and the usual commands.
    """

    wireguard: str
    strongswan: str
    busybox: str


def read_images(site: PlacementContext) -> AccessImages:
    """Images of the software catalog, from the mirror where the platform has one."""
    mirror = read_program_mirror(site.mirror, offline=site.settings.offline)
    images = {
        split(each.name)[0].rpartition("/")[2]: resolve_image_reference(each.pulled, mirror) for each in images_of(PART)
    }
    return AccessImages(**images)


def build_labels(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "atoll"}


def build_metadata(name: str) -> ObjectMetaArgsDict:
    return {"name": name, "namespace": SYSTEM_NAMESPACE, "labels": build_labels(name)}


def create_service_account(name: str, *, opts: pulumi.ResourceOptions) -> None:
    """An account without rights and without a token."""
    kubernetes.core.v1.ServiceAccount(
        name, metadata=build_metadata(name), automount_service_account_token=False, opts=opts
    )


def build_pod(
    account: str, *, containers: Sequence[ContainerArgsDict], volumes: Sequence[VolumeArgsDict]
) -> PodSpecArgsDict:
    """A pod on a Linux node with a service account, but without access to the cluster's API."""
    return {
        "service_account_name": account,
        "automount_service_account_token": False,
        "enable_service_links": False,
        "node_selector": {"kubernetes.io/os": "linux"},
        "security_context": {"seccomp_profile": {"type": "RuntimeDefault"}},
        "containers": list(containers),
        "volumes": list(volumes),
    }


def build_security_context(*capabilities: str) -> SecurityContextArgsDict:
    return {
        "allow_privilege_escalation": False,
        "read_only_root_filesystem": True,
        "capabilities": {"drop": ["ALL"], "add": list(capabilities)},
    }
