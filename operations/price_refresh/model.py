"""What a reader of prices is asked and what it returns: sections of rows with their source, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator  # noqa: TC003 - the protocol is also read at run time
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from catalogs.parsing import HOUR, LIST
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import date

    from catalogs.catalog import Catalog
    from catalogs.model import Source
    from operations.project.http import HttpSession

USD: Final = "USD"
PLACES: Final = 10  # decimals of a price, as in the AWS price list


class SectionKind(StrEnum):
    """The two halves of a provider's price list."""

    SERVICES = "services"
    MACHINES = "machines"


class PriceReadError(AtollError):
    """A source answered what is no price list: another form, another currency, a unit that nobody knows."""


class PriceRefreshError(AtollError):
    """The refresh as a whole cannot go on; the catalog stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPrice:
    """One price as its source has it, in the catalog's words. Nothing is judged here: `gates` does that.

    Args:
        item: machine name, or a word of `catalogs.model.Item`.
        purchase: a word of terms.csv; "list" for services.
        unit: the catalog's word. A source's own word that a reader cannot convert is passed on as it is, and refused.
        amount: for one unit, in `currency`.
        above: quantity from which this tier holds, in units of the item (GB for data).
        as_of: the source's own date; the day of the run only where the source has none, which its text then says.
        source: where the section's does not hold for this row, as for the spot prices of one list that are the minimum
            over zones; else None.
    """

    item: str
    amount: Decimal
    as_of: date
    purchase: str = LIST
    unit: str = HOUR
    currency: str = USD
    above: Decimal = Decimal(0)
    source: Source | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSection:
    """Services or machines of one provider in one region: new prices take the place of the old ones section by section.

    Args:
        region: as in regions.csv; "*" for services whose price a source states for every region.
        source: where they were read; its id is the same in every run, its text names the endpoint, its date the newest
            row.
        skipped: what the source sells there and the reader skips on purpose, or could not read, in words.
        whole: whether it was read to its end; where not, nothing that it does not give is called gone.
    """

    provider: str
    region: str
    kind: SectionKind
    source: Source
    prices: tuple[FoundPrice, ...]
    skipped: tuple[str, ...] = ()
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentSection:
    """A section that a source gave no price for, and why, in one sentence without a full stop.

    Args:
        region: "" for every region that was asked for.
        keyless: whether it could not be asked for want of a key, which is no fault.
    """

    provider: str
    region: str
    kind: SectionKind
    reason: str
    keyless: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRequest:
    """What a reader is asked.

    Args:
        regions: of the catalog; a reader yields a section, or a silent one, for each that it knows.
        kinds: which halves are wanted.
        address: where to ask, without a slash at its end; a test names its own server.
        keys: value of each environment variable of the reader's `keys`; never empty ones.
        today: the day of the run.
        catalog: today's rows, for the names of machines and for what a free list says.
        session: asks; bounded, with pauses, and no answer of another host.
        tell: says what is being read, for the progress line.
    """

    provider: str
    regions: tuple[str, ...]
    kinds: frozenset[SectionKind]
    address: str
    today: date
    catalog: Catalog
    session: HttpSession
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    tell: Callable[[str], None] = lambda _text: None

    def wants(self, kind: SectionKind) -> bool:
        return kind in self.kinds

    def all_silent(self, reason: str, *, keyless: bool = False) -> Iterator[SilentSection]:
        """One silent section for each half that was asked for."""
        for kind in sorted(self.kinds):
            yield SilentSection(provider=self.provider, region="", kind=kind, reason=reason, keyless=keyless)


class PriceReader(Protocol):
    """A module that reads one source; `readers.csv` names it."""

    def read(self, request: PriceRequest) -> Iterator[PriceSection | SilentSection]:
        """Sections as they come, so that a source that fails half way keeps what it gave.

        Raises:
            PriceReadError, HttpError: the rest of the source cannot be read; what was yielded before stays.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderEntry:
    """A row of readers.csv.

    Args:
        id: the reader's name, unique; its address is overridden by the environment variable `address_variable`.
        title: as in "read from the TITLE".
        providers: whose prices it has; it is asked once for each.
        kinds: which halves.
        module: that has `read`.
        address: the public base address.
        keys: environment variables that hold what it asks for; () where no key is needed.
        rank: lower wins between two sources of one date: 1 vendor's interface, 2 published catalog, 3 table, 4 page.
    """

    id: str
    title: str
    providers: tuple[str, ...]
    kinds: tuple[SectionKind, ...]
    module: str
    address: str
    keys: tuple[str, ...]
    rank: int

    @property
    def address_variable(self) -> str:
        return f"ATOLL_PRICES_{self.id.replace('-', '_').upper()}"

    def serves(self, *, providers: Collection[str], kinds: Collection[SectionKind]) -> bool:
        return bool(set(self.providers) & set(providers)) and bool(set(self.kinds) & set(kinds))


def spell_amount(amount: Decimal) -> str:
    """As it stands in prices.csv: no exponent, no idle zeros."""
    text = f"{round(amount, PLACES):f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
