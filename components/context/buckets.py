"""What an object tier is on every cloud: which buckets it has, what it says of itself, how long leftovers are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.charges.storage import BUCKET
from planning.platform.backups import VERSION_DAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement, Tier


INCOMPLETE_UPLOAD_DAYS: Final = 7
OLD_VERSION_DAYS: Final = 30
ARTIFACTS: Final = "artifacts"  # what the experiment tracker keeps, in the cold tier and of its size


def purposes(tier: Tier) -> tuple[str, ...]:
    """One bucket for each of these, which share the tier's volume."""
    return (tier.purpose, ARTIFACTS) if tier.tier == "cold" else (tier.purpose,)


def tier_facts(placement: Placement, tier: Tier, charges: Sequence[dict[str, object]]) -> dict[str, object]:
    """Inputs of an object tier's component; `charges` declare its volume, which no bucket can say."""
    return {
        "provider": placement.provider,
        "region": placement.region,
        "tier": tier.tier,
        "charges": list(charges),
    }


OWNER: Final = BUCKET  # of its declared charge
NAME: Final = "platform"
UPLOAD_DAYS: Final = INCOMPLETE_UPLOAD_DAYS
OLD_DAYS: Final = VERSION_DAYS


def bucket_facts(placement: Placement, charges: Sequence[dict[str, object]]) -> dict[str, object]:
    """Inputs of the bucket's component; `charges` declare its volume, which no bucket can say."""
    return {"provider": placement.provider, "region": placement.region, "charges": list(charges)}
