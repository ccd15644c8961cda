"""The one table from a lock's target to the code that builds it. A cloud's SDK is imported only when it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.charges import Ledger
from planning.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pulumi

    from planning.charge import Charge
    from planning.spec import ClusterSpec


def _aws(spec: ClusterSpec, ledger: Ledger) -> dict[str, pulumi.Input[object]]:
    from components.aws import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(spec, ledger)


def _existing(spec: ClusterSpec, ledger: Ledger) -> dict[str, pulumi.Input[object]]:
    from components.existing import build  # noqa: PLC0415 - only the chosen cloud's SDK is imported

    return build(spec, ledger)


def _none(spec: ClusterSpec, ledger: Ledger) -> dict[str, pulumi.Input[object]]:
    del ledger
    raise AtollError(
        f"nothing builds clusters on {spec.placement.provider} yet: this option can be quoted, not built",
        hint="accept an option on AWS, or say where.existing in the checklist to build on a cluster that is there",
    )


BUILDERS: Final[Mapping[str, Callable[[ClusterSpec, Ledger], dict[str, pulumi.Input[object]]]]] = {
    "aws": _aws,
    "existing": _existing,
    "none": _none,
}


def build(spec: ClusterSpec, charges: Mapping[str, Sequence[Charge]]) -> dict[str, pulumi.Input[object]]:
    """Registers the cluster of a lock; the stack's outputs by name.

    Args:
        charges: `planning.quantities.declared(spec)`.

    Raises:
        AtollError: the target cannot be built, or a charge is carried by no component.
    """
    ledger = Ledger(charges)
    outputs = BUILDERS[spec.placement.target](spec, ledger)
    ledger.close()
    return outputs
