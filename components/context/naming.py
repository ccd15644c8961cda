"""Physical names and tags; logical names are constants in the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from planning.checklist.model.vocabulary import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import ClusterSpec, Placement, Pool


def build_physical_name(placement: Placement, name: str = "") -> str:
    """Physical name of a resource."""
    # Unique for each stack of an account, and for each placement of a stack.
    parts = ("atoll", pulumi.get_stack(), "" if placement.name == HOME else placement.name, name)
    return "-".join(part for part in parts if part)


def tags(spec: ClusterSpec) -> dict[str, str]:
    return {
        "atoll:customer": spec.customer.name,
        "atoll:stack": pulumi.get_stack(),
        "atoll:owner": spec.customer.owner,
    }


def pool_tags(pool: Pool, stack_tags: Mapping[str, str]) -> dict[str, str]:
    own = {"atoll:pool": pool.name, "atoll:role": pool.role}
    return {**stack_tags, **own, **({"atoll:workload": pool.workload} if pool.workload else {})}
