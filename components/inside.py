"""What is put into every cluster, whichever cloud it is on: order, ways in, and what people do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.access.tenancy import Tenancy, TenancyArgs
from components.contract import ContractArgs, Services

if TYPE_CHECKING:
    from components.site import ClusterHandle, Site


def fill(site: Site, handle: ClusterHandle) -> dict[str, pulumi.Input[object]]:
    """Registers what runs on top of a cluster; what the stack says of it."""
    inside = site.options(provider=handle.provider, depends_on=handle.ready)
    Tenancy("tenancy", TenancyArgs(spec=site.spec), opts=inside)
    services = ContractArgs(placement=site.placement, charges=site.ledger.claim("services"))
    Services("services", services, opts=site.options())
    return {}
