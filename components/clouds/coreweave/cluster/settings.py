"""What a stack on CoreWeave must be told that no checklist asks: its zone, and nodes without a name."""

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
        zone: availability zone of everything, as in US-EAST-04A: the stack's own, else the lock's, which is one that
            sells every machine of it.
        cpu_machine: instance type of nodes that the lock leaves without a name, for the price book has none that fits.
        issuer, client: of the customer's OpenID Connect, by which people sign in with their groups; "" for
            CoreWeave's own tokens alone.
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
        InputError: one that is needed is missing; offline a placeholder stands for what no resource can do without.
    """
    config = pulumi.Config(SECTION)
    known = next(iter(site.placement.zones), "")
    unnamed = any(pool.machine not in INSTANCE_TYPES for pool in site.spec.pools)
    issuer, client = config.get("oidcIssuer") or "", config.get("oidcClient") or ""
    if bool(issuer) != bool(client):
        raise InputError(f"{SECTION}:oidcIssuer and {SECTION}:oidcClient belong together, and one of them is missing")
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
