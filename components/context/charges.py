"""Declared charges on their way to the components that carry them: each is carried once, none is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from planning.costs.charge import to_inputs
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.costs.charge import Charge


@final
class Ledger:
    """Charges by the name of the component that declares them (`planning.costs.charges.cluster.declared`)."""

    def __init__(self, declared: Mapping[str, Sequence[Charge]]) -> None:
        self._left = dict(declared)

    def claim(self, owner: str) -> list[dict[str, object]]:
        """The charges of `owner` as plain inputs; nothing where it has none, or has them already."""
        return [to_inputs(charge) for charge in self._left.pop(owner, ())]

    def close(self) -> None:
        """End of the program.

        Raises:
            AtollError: charges that no component declares, which the takeoff would never see.
        """
        lost = sorted(owner for owner, charges in self._left.items() if charges)
        if lost:
            raise AtollError(f"no component declares the charges of: {', '.join(lost)}")
