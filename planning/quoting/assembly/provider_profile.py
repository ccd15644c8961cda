"""The profile of a provider: what its Kubernetes brings along, and what is ours to add."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalogs.profiles import PARTS
from catalogs.profiles import profile as catalogued
from planning.spec.cluster import Profile

if TYPE_CHECKING:
    from catalogs.catalog import Catalog


def profile_of(provider: str, catalog: Catalog) -> Profile:
    """The profile of a provider's Kubernetes; of a cluster that nobody manages where it sells none."""
    found = catalogued(provider)
    sold = catalog.providers[provider].kubernetes
    return Profile.model_validate(
        {
            "provider": provider,
            "title": found.title if found.provider == provider or not sold else sold,
            **{part: getattr(found, part) for part in PARTS},
            "forbidden": found.forbidden,
            "disk_class": found.disk_class,
            "shared_class": found.shared_class,
            "rdma_resource": found.rdma_resource,
            "oldest_kubernetes": found.oldest_kubernetes,
            "notes": (found.notes,) if found.notes else (),
        }
    )
