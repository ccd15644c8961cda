"""How fast things go: bandwidth, small files, dumps, each with what it is based on. A rate is never guessed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, Self

from planning.relocation.inventory.volume import MIB

Basis = Literal["measured", "given"]
BITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many units a second.

    Args:
        basis: whether somebody measured it on the way that is meant, or it was said.
        note: where and when.
    """

    per_second: Decimal
    basis: Basis = "given"
    note: str = ""

    def __post_init__(self) -> None:
        if self.per_second <= 0:
            raise ValueError(f"a rate must be more than nothing: {self.per_second}")

    @classmethod
    def of_gbps(cls, gbps: Decimal | int, *, basis: Basis = "given", note: str = "") -> Self:
        """Bytes a second of a link."""
        return cls(per_second=Decimal(gbps) * 10**9 / BITS, basis=basis, note=note)

    @classmethod
    def of_mib(cls, mib: Decimal | int, *, basis: Basis = "given", note: str = "") -> Self:
        """Bytes a second of a stream."""
        return cls(per_second=Decimal(mib) * MIB, basis=basis, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Every rate that times are made of; None where nobody measured or said it, and then the time is not known.

    Args:
        bytes: all transfers together, bytes a second.
        objects: small objects a second, all transfers together.
        dump: bytes of a database a second, dumped, carried and restored.
        verify: bytes a second read and hashed on one side; None: those of `bytes`.
        lists: keys listed a second, which every round does even where nothing changed.
    """

    bytes: Rate | None = None
    objects: Rate | None = None
    dump: Rate | None = None
    verify: Rate | None = None
    lists: Rate | None = None
