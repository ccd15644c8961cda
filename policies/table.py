"""The rules, in the order in which they are told: money, prices, place, pools, safety, order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.rules import (
    allowed_machines,
    allowed_places,
    ceiling_layers,
    component_ceilings,
    contract_ceiling,
    encryption,
    gpu_hour_ceiling,
    gpu_owner,
    growth,
    identity,
    idle_controls,
    monthly_ceiling,
    pinned_versions,
    price_age,
    protected_data,
    public_exposure,
    region_in_place,
    residency,
    rights,
    spares,
    spot_share,
    tags,
    team_ceilings,
    unpriced,
)

if TYPE_CHECKING:
    from policies.rule import Rule

RULES: Final[tuple[Rule, ...]] = (
    monthly_ceiling.RULE,
    contract_ceiling.RULE,
    gpu_hour_ceiling.RULE,
    component_ceilings.RULE,
    team_ceilings.RULE,
    ceiling_layers.RULE,
    growth.RULE,
    price_age.RULE,
    unpriced.RULE,
    allowed_places.RULE,
    residency.RULE,
    region_in_place.RULE,
    allowed_machines.RULE,
    spot_share.RULE,
    spares.RULE,
    idle_controls.RULE,
    gpu_owner.RULE,
    protected_data.RULE,
    encryption.RULE,
    public_exposure.RULE,
    identity.RULE,
    rights.RULE,
    pinned_versions.RULE,
    tags.RULE,
)
BY_NAME: Final = {rule.name: rule for rule in RULES}
