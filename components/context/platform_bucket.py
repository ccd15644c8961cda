"""What the bucket of the platform is on every cloud: what its component says of itself, and how long leftovers stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.context.buckets import INCOMPLETE_UPLOAD_DAYS
from planning.costs.charges.platform_bucket import BUCKET
from planning.platform.backups import VERSION_DAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement

OWNER: Final = BUCKET  # of its declared charge
NAME: Final = "platform"
UPLOAD_DAYS: Final = INCOMPLETE_UPLOAD_DAYS
OLD_DAYS: Final = VERSION_DAYS


def bucket_facts(placement: Placement, charges: Sequence[dict[str, object]]) -> dict[str, object]:
    """Inputs of the bucket's component; `charges` declare its volume, which no bucket can say."""
    return {"provider": placement.provider, "region": placement.region, "charges": list(charges)}
