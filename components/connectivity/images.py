"""Images of the ways in and out, as the software catalog names them, from the mirror where the platform has one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from catalogs.software.model import split
from catalogs.software.reader import images_of
from components.platform.building_blocks.images import resolve_image_reference

if TYPE_CHECKING:
    from components.platform.building_blocks.artifact_mirror import ArtifactMirror

PART: Final = "ways_in"


@dataclass(frozen=True, kw_only=True)
class Images:
    """What is pulled.

    Args:
        wireguard: with iptables, iproute2 and bash (github.com/linuxserver/docker-wireguard).
        strongswan: as its project builds it (hub.docker.com/r/strongx509/strongswan); amd64 only.
        busybox: a shell and the usual commands.
    """

    wireguard: str
    strongswan: str
    busybox: str


def images(found: ArtifactMirror) -> Images:
    rows = {
        split(each.name)[0].rpartition("/")[2]: resolve_image_reference(each.pulled, found) for each in images_of(PART)
    }
    return Images(**rows)
