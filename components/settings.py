"""What a stack's configuration may say. It decides nothing that is priced: all of that is in the lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import pulumi

from planning.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECTION: Final = "atoll"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Configuration of one stack (`pulumi config set atoll:<key> ...`).

    Args:
        offline: set by `driver.offline`: nothing outside the program may be asked for.
        allow_destroy: switches off the cluster's own deletion protection, before a destroy.
        reservations: pool name to the id of the capacity reservation or capacity block its nodes start in.
    """

    offline: bool
    allow_destroy: bool
    reservations: Mapping[str, str]


def read_settings() -> Settings:
    """The settings of the current stack.

    Raises:
        InputError: `capacityReservations` is not a mapping of pool names to ids.
    """
    config = pulumi.Config(SECTION)
    reservations = cast("object", config.get_object("capacityReservations", {}))
    if not isinstance(reservations, dict):
        raise InputError("atoll:capacityReservations must map pool names to reservation ids")
    return Settings(
        offline=config.get_bool("offline") or False,
        allow_destroy=config.get_bool("allowDestroy") or False,
        reservations={str(pool): str(id_) for pool, id_ in cast("dict[object, object]", reservations).items()},
    )
