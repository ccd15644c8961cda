"""The rules, in the order in which they are told: money, prices, place, pools, safety, order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.rules.money import (
    ceiling_layers,
    component_ceilings,
    contract_ceiling,
    gpu_hour_ceiling,
    growth,
    monthly_ceiling,
    price_age,
    spot_share,
    team_ceilings,
    unpriced,
)
from policies.rules.operations import gpu_owner, idle_controls, pinned_versions, spares, tags
from policies.rules.placement import allowed_machines, allowed_places, region_in_place, residency
from policies.rules.security import encryption, identity, protected_data, public_exposure, rights

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
