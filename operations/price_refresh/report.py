"""What a refresh has done, as a document: what is new, what moved, what was held back or refused, what stays old."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from catalogs import parsing
from catalogs.catalog import SERVICES
from operations.price_refresh.gates import SHOWN, PriceVerdict, is_price
from operations.price_refresh.model import SectionKind, spell_amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date
    from decimal import Decimal

    from operations.price_refresh.gates import JudgedPrice, PriceKey
    from operations.price_refresh.refresh import RefreshOutcome

MOVES: Final = 10
STANDS: Final = {
    (True, False): "the catalog on disk is the new one",
    (False, False): "the catalog on disk is the old one: nothing in it would change",
    (False, True): "the catalog on disk is the old one: this was a dry run",
}


class ProviderCounts(TypedDict):
    """How many keys of a provider went which way."""

    provider: str
    new: int
    same: int
    changed: int
    held: int
    refused: int
    older: int
    undescribed: int
    gone: int


class PriceNote(TypedDict):
    """One key, with what is said of it."""

    provider: str
    item: str
    region: str
    purchase: str
    before: str  # USD; "" where there was none
    after: str
    change: str  # of the price, as -0.125; "" where there was none
    text: str


class SectionNote(TypedDict):
    """Services or machines of a provider in a region, with what is said of them; region "" for every one."""

    provider: str
    region: str
    kind: str
    text: str


class OldRows(TypedDict):
    """Rows that this run did not renew."""

    provider: str
    kind: str
    rows: int
    oldest: str  # date; "" where none is dated
    days: int  # age of the oldest
    undated: int


class RefreshForm(TypedDict):
    """The document of `atoll catalog refresh --json`."""

    today: str
    dry_run: bool
    written: bool
    state: str
    providers: list[ProviderCounts]
    moves: list[PriceNote]
    held: list[PriceNote]
    refused: list[PriceNote]
    disagreeing: list[PriceNote]
    unknown_machines: list[str]  # "provider name", of prices without a row of hardware
    gone: list[PriceNote]
    sections_refused: list[SectionNote]
    silent: list[SectionNote]
    skipped: list[SectionNote]
    stays: list[OldRows]


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """One outcome, told."""

    outcome: RefreshOutcome

    def form(self) -> RefreshForm:
        """The whole of it."""
        outcome = self.outcome
        every = [price for section in outcome.judged for price in section.prices]
        usable = list(self._pick_prices().values())
        moved = _with(usable, PriceVerdict.CHANGED)
        return {
            "today": str(outcome.today),
            "dry_run": outcome.order.dry_run,
            "written": outcome.written,
            "state": STANDS[outcome.written, outcome.order.dry_run],
            "providers": list(self._counts()),
            "moves": [_note(each) for each in _by_change(moved)[:MOVES]],
            "held": [_note(each) for each in _by_change(_with(usable, PriceVerdict.HELD))],
            "refused": [_note(each, each.reason) for each in _with(usable, PriceVerdict.REFUSED)],
            "disagreeing": [
                _note(each, text)
                for each in outcome.picked.winners.values()
                if (text := outcome.picked.describe_doubts(each.key))
            ],
            "unknown_machines": sorted(
                {f"{each.key[0]} {each.key[1]}" for each in _with(every, PriceVerdict.UNDESCRIBED)}
            ),
            "gone": [_key_note(key) for section in outcome.judged if not section.refused for key in section.gone],
            "sections_refused": [
                _section(each.section.provider, each.section.region, each.section.kind, each.refused)
                for each in outcome.judged
                if each.refused
            ],
            "silent": [_section(each.provider, each.region, each.kind, each.reason) for each in outcome.silent],
            "skipped": [
                _section(each.section.provider, each.section.region, each.section.kind, text)
                for each in outcome.judged
                for text in each.section.skipped
            ],
            "stays": list(self._old_rows()),
        }

    def without_answer(self) -> tuple[str, ...]:
        """Providers that were asked for by name, or could be asked without more ado, and gave nothing that counts."""
        gave = {section.section.provider for section in self.outcome.judged if not section.refused}
        return tuple(each for each in self._list_asked() if each not in gave)

    def _list_asked(self) -> list[str]:
        order = self.outcome.order
        if order.scope.providers:
            return sorted(set(order.scope.providers))
        answered = {section.section.provider for section in self.outcome.judged}
        return sorted(answered | {each.provider for each in self.outcome.silent if not each.keyless})

    def _pick_prices(self) -> Mapping[PriceKey, JudgedPrice]:
        """One judged price for each key, though two sources may give it: the one that is written, else the first."""
        usable = (price for section in self.outcome.judged if not section.refused for price in section.prices)
        found: dict[PriceKey, JudgedPrice] = {}
        for price in usable:
            found.setdefault(price.key, price)
        return {**found, **self.outcome.picked.winners}

    def _counts(self) -> Iterator[ProviderCounts]:
        prices = self._pick_prices().values()
        for provider in self._providers():
            sections = [each for each in self.outcome.judged if each.section.provider == provider]
            counted = Counter(each.verdict for each in prices if each.key[0] == provider)
            yield {
                "provider": provider,
                "new": counted[PriceVerdict.NEW],
                "same": counted[PriceVerdict.SAME],
                "changed": counted[PriceVerdict.CHANGED],
                "held": counted[PriceVerdict.HELD],
                "refused": counted[PriceVerdict.REFUSED],
                "older": counted[PriceVerdict.OLDER],
                "undescribed": counted[PriceVerdict.UNDESCRIBED],
                "gone": sum(len(each.gone) for each in sections if not each.refused),
            }

    def _providers(self) -> list[str]:
        judged = {each.section.provider for each in self.outcome.judged}
        return sorted(judged | {each.provider for each in self.outcome.silent})

    def _old_rows(self) -> Iterator[OldRows]:
        prices = self.outcome.catalog.prices
        for provider in self._providers():
            for kind in sorted(self.outcome.order.scope.kinds):
                days = [
                    self._day(line)
                    for line in prices.lines_of_provider(provider)
                    if _kind(line) is kind and _key(line) not in self.outcome.picked.winners
                ]
                dated = [each for each in days if each]
                if days:
                    oldest = min(dated, default=None)
                    yield {
                        "provider": provider,
                        "kind": kind.value,
                        "rows": len(days),
                        "oldest": str(oldest or ""),
                        "days": (self.outcome.today - oldest).days if oldest else 0,
                        "undated": len(days) - len(dated),
                    }

    def _day(self, line: str) -> date | None:
        _, source, as_of = line.rsplit(",", 2)
        return parsing.day(as_of) if as_of else self.outcome.catalog.sources[source].as_of


def _key(line: str) -> PriceKey:
    provider, item, region, purchase, _ = line.split(",", 4)
    return provider, item, region, purchase


def _kind(line: str) -> SectionKind:
    return SectionKind.SERVICES if line.split(",", 2)[1] in SERVICES else SectionKind.MACHINES


def _with(prices: Iterable[JudgedPrice], verdict: PriceVerdict) -> list[JudgedPrice]:
    return [each for each in prices if each.verdict is verdict]


def _by_change(prices: Iterable[JudgedPrice]) -> list[JudgedPrice]:
    """The largest move first."""

    def rank(price: JudgedPrice) -> tuple[Decimal, PriceKey]:
        return -(price.change or parsing.money("0")), price.key

    return sorted(prices, key=rank)


def _note(price: JudgedPrice, text: str = "") -> PriceNote:
    before, after = price.before[0].usd if price.before else None, price.tiers[0].amount
    change = spell_amount((after - before) / before) if before and is_price(after) else ""
    return {
        **_key_note(price.key),
        "before": "" if before is None else spell_amount(before),
        "after": spell_amount(after) if is_price(after) else str(after)[:SHOWN],
        "change": change,
        "text": text,
    }


def _key_note(key: PriceKey) -> PriceNote:
    provider, item, region, purchase = key
    return {
        "provider": provider,
        "item": item,
        "region": region,
        "purchase": purchase,
        "before": "",
        "after": "",
        "change": "",
        "text": "",
    }


def _section(provider: str, region: str, kind: SectionKind, text: str) -> SectionNote:
    return {"provider": provider, "region": region, "kind": kind.value, "text": text}
