"""The profile of a provider: what its Kubernetes brings along, and what is ours to add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.spec import Profile

if TYPE_CHECKING:
    from catalogs.reader import Catalog


def profile_of(provider: str, catalog: Catalog) -> Profile:
    """The profile of a provider's Kubernetes."""
    return Profile(
        provider=provider,
        title=catalog.providers[provider].kubernetes or provider,
        gpu_driver="provider",
        device_plugin="atoll",
        node_feature_discovery="none",
        dcgm_exporter="atoll",
        network_plugin="atoll",
        node_repair="provider",
        autoscaler="none",
    )
