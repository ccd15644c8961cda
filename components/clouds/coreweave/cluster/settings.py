"""Settings of a stack on CoreWeave: its zone, the machine of unnamed nodes, sign-in and API exposure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi

from components.context.settings import SECTION
from planning.costs.resources.clouds.coreweave import INSTANCE_TYPES
from planning.values.errors import InputError

if TYPE_CHECKING:
    from components.context.placement import PlacementContext

OFFLINE: Final = "named-at-preview"


@dataclass(frozen=True, kw_only=True)
class CoreWeaveSettings:
    """Configuration of one stack (`pulumi config set atoll:<key> ...`).

    Args:
        zone: availability zone (US-EAST-04A): the stack's own, else the lock's, which sells every machine of it.
        cpu_machine: instance type of nodes without a machine in the lock, where no catalog machine fits.
        issuer, client: of the customer's OpenID Connect, for sign-in with groups; "" for CoreWeave's tokens only.
        public_api: opens the API endpoint to the internet; address ranges cannot be set through the SDK.
    """

    zone: str
    cpu_machine: str
    public_api: bool
    issuer: str
    client: str


def read(site: PlacementContext) -> CoreWeaveSettings:
    """The settings of the current stack.

    Raises:
        InputError: a required one is missing; offline a placeholder stands for it.
    """
    config = pulumi.Config(SECTION)
    known = next(iter(site.placement.zones), "")
    unnamed = any(pool.machine not in INSTANCE_TYPES for pool in site.spec.pools)
    issuer, client = config.get("oidcIssuer") or "", config.get("oidcClient") or ""
    if bool(issuer) != bool(client):
        raise InputError(f"{SECTION}:oidcIssuer and {SECTION}:oidcClient must both be set")
    return CoreWeaveSettings(
        zone=config.get("zone") or known or _require_setting(config, "zone", site=site, example="US-EAST-04A"),
        cpu_machine=_require_setting(config, "cpuMachine", site=site, example="cd-hc-a384-genoa") if unnamed else "",
        public_api=config.get_bool("publicApi") or False,
        issuer=issuer,
        client=client,
    )


def _require_setting(config: pulumi.Config, key: str, *, site: PlacementContext, example: str) -> str:
    found = config.get(key) or ""
    if found or site.settings.offline:
        return found or OFFLINE
    raise InputError(
        f"a stack on CoreWeave needs the setting {SECTION}:{key}",
        hint=f"pulumi config set {SECTION}:{key} {example}",
    )
