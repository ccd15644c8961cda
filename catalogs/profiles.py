"""What each provider's Kubernetes brings along: a small file, read without the price book."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from catalogs import parsing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalogs.model import KubernetesProfile

ROOT: Final = Path(__file__).parent
OWNERS: Final = ("provider", "atoll", "none")
PARTS: Final = (
    "gpu_driver",
    "device_plugin",
    "node_feature_discovery",
    "dcgm_exporter",
    "network_plugin",
    "node_repair",
    "autoscaler",
)
OWN_CLUSTER: Final = "on_premises"


@cache
def profiles() -> Mapping[str, KubernetesProfile]:
    """Every profile, by provider.

    Raises:
        CatalogError: a row cannot be read.
    """
    return {each.provider: each for each in parsing.each(ROOT / "profiles.csv", parsing.profile)}


def profile(provider: str) -> KubernetesProfile:
    """The profile of a provider; of a cluster that nobody manages where it sells no Kubernetes."""
    found = profiles()
    return found.get(provider) or found[OWN_CLUSTER]
