"""All rules, in the order of reports: money, placement and pools, security, operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.rules.money import ceiling_layers, ceilings, prices, team_ceilings
from policies.rules.operations import gpu_owner, pinned_versions, pool_bounds, tags
from policies.rules.placement import machines, places
from policies.rules.security import encryption, identity, protected_data, public_exposure

if TYPE_CHECKING:
    from policies.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    ceilings.MONTHLY_CEILING,
    ceilings.CONTRACT_CEILING,
    prices.GPU_HOUR_CEILING,
    ceilings.COMPONENT_CEILINGS,
    team_ceilings.RULE,
    ceiling_layers.RULE,
    ceilings.GROWTH,
    prices.PRICE_AGE,
    prices.UNPRICED,
    prices.ESTIMATES,
    places.ALLOWED_PLACES,
    places.RESIDENCY,
    places.REGION_IN_PLACE,
    machines.ALLOWED_MACHINES,
    machines.SPOT_SHARE,
    pool_bounds.SPARES,
    pool_bounds.IDLE_CONTROLS,
    gpu_owner.RULE,
    protected_data.RULE,
    encryption.RULE,
    public_exposure.RULE,
    identity.IDENTITY,
    identity.RIGHTS,
    pinned_versions.RULE,
    tags.RULE,
)
BY_NAME: Final = {rule.name: rule for rule in RULES}
