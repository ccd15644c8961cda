"""Atoll on a cluster that is already there: order inside it, and what its provider bills, said as charges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi

from components.access.tenancy import Tenancy, TenancyArgs
from components.cluster.existing import ExistingCluster, ExistingClusterArgs
from components.contract import ContractArgs, Rented, Services
from components.settings import read_settings
from planning.errors import InputError

if TYPE_CHECKING:
    from components.charges import Ledger
    from planning.spec import ClusterSpec


def build(spec: ClusterSpec, ledger: Ledger) -> dict[str, pulumi.Input[object]]:
    """Registers what belongs to us on an existing cluster; the stack's outputs.

    Raises:
        AtollError: the lock does not say how to reach the cluster, or it cannot be reached so.
    """
    if spec.existing is None:
        raise InputError("the lock builds on an existing cluster and does not say how to reach it")
    settings = read_settings()
    args = ExistingClusterArgs(placement=spec.placement, existing=spec.existing, offline=settings.offline)
    cluster = ExistingCluster("cluster", args)
    Rented("rented", ContractArgs(placement=spec.placement, charges=ledger.claim("rented")))
    inside = pulumi.ResourceOptions(provider=cluster.provider)
    Tenancy("tenancy", TenancyArgs(spec=spec, disk_key_arn=None), opts=inside)
    Services("services", ContractArgs(placement=spec.placement, charges=ledger.claim("services")))
    return {"provider": spec.placement.provider, "region": spec.placement.region}
