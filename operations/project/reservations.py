"""Which reservation a stack's configuration names for each of its pools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from planning.inputs.files import parse_json
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

RESERVATIONS_KEY: Final = "atoll:capacityReservations"


def reservations(config: Mapping[str, str]) -> dict[str, str]:
    """Pool name to reservation id.

    Raises:
        InputError: the value is not a mapping.
    """
    text = config.get(RESERVATIONS_KEY, "")
    try:
        found: object = parse_json(text, file=RESERVATIONS_KEY) if text else {}
    except InputError:
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"{RESERVATIONS_KEY} must map pool names to reservation ids, and it is {text!r}",
            hint=f"pulumi config set --path '{RESERVATIONS_KEY}.POOL' cr-...",
        )
    return {str(pool): str(id_) for pool, id_ in cast("dict[object, object]", found).items()}
