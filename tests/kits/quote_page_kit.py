"""Quote documents of every stack, made once, and the numbers that may stand in them."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from catalogs.ages import MACHINE_AGE, SERVICE_AGE
from catalogs.catalog import Catalog, load
from cli.pages.documents.rendering import render_markdown
from cli.pages.quote.document import page, quote_document
from cli.terminal.amounts import duration
from cli.views.quote.options import order_options
from cli.views.quote.summary import NAMES_SHOWN
from planning.checklist.model.checklist import Checklist, checklist_digest
from planning.checklist.reading.checklist_file import read_file
from planning.quoting.candidates.market import Market
from planning.quoting.price_performance import PER_SERVER, SERVERS, TFLOPS, MarketRank, standings, worth_of_machines
from planning.quoting.quote import Quote
from planning.quoting.quote_builder import quote
from planning.quoting.quote_form import explain_form, quote_form

CHECKLISTS = sorted(Path(__file__).parents[2].glob("stacks/*/checklist.yaml"))
STACKS = tuple(each.parent.name for each in CHECKLISTS if not each.read_text().startswith("# A clone of "))
TODAY = date(2026, 11, 21)
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")  # a name, not a number, though "0e50211484" in one reads like it
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e\d+)?")
SVG = "{http://www.w3.org/2000/svg}"
YEARS = tuple(each.years for each in SERVERS.values())
CONSTANTS = (TFLOPS, PER_SERVER, MACHINE_AGE.refused_days, SERVICE_AGE.refused_days, *YEARS)


@dataclass(frozen=True)
class Made:
    """A quote and its two documents."""

    quote: Quote
    checklist: Checklist
    catalog: Catalog

    @cached_property
    def standings(self) -> tuple[MarketRank, ...]:
        return standings(self.quote, self.checklist, self.catalog)

    @cached_property
    def html(self) -> str:
        return page(self.quote, checklist=self.checklist, catalog=self.catalog, standings=self.standings)

    @cached_property
    def markdown(self) -> str:
        return render_markdown(
            quote_document(self.quote, checklist=self.checklist, catalog=self.catalog, standings=self.standings)
        )

    @cached_property
    def tree(self) -> ET.Element:
        return parsed(self.html)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text.removeprefix("<!doctype html>\n"))  # noqa: S314 - our own page


@cache
def market() -> Market:
    return Market(load())


@cache
def made(stack: str) -> Made:
    checklist = read_file(Path(__file__).parents[2] / "stacks" / stack / "checklist.yaml")
    asked = quote(checklist, checklist_digest=checklist_digest(checklist), stack=stack, market=market(), today=TODAY)
    return Made(order_options(asked), checklist, market().catalog)


class Known:
    """The numbers of a quote's JSON, its checklist, the catalog rows it names, and what is reckoned from them."""

    def __init__(self, of: Made) -> None:
        said = quote_form(of.quote)
        texts = [
            json.dumps(said),
            json.dumps(explain_form(of.quote.stack, of.quote.figures)),
            of.checklist.model_dump_json(),
            *_catalogued(of),
        ]
        self.digests = {each for text in texts for each in DIGEST.findall(text)}
        found = {abs(each) for text in texts for each in numbers(DIGEST.sub("", text))}
        self._sorted = sorted(found | {Decimal(each) for each in (*CONSTANTS, *_reckoned(said), *_counted(of))})

    def holds(self, number: Decimal) -> bool:
        """Whether a number is one of them, as it is or rounded to the digits it has."""
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        slack = Decimal(1).scaleb(exponent) / 2
        at = bisect_left(self._sorted, number - slack)
        return at < len(self._sorted) and self._sorted[at] <= number + slack


def numbers(text: str) -> Iterator[Decimal]:
    yield from (Decimal(each.replace(",", "")) for each in NUMBER.findall(text))


def strangers(text: str, known: Known) -> list[str]:
    """Numbers and digests that are from nowhere, each with what stands around it."""
    foreign = [each for each in DIGEST.findall(text) if each not in known.digests]
    text = DIGEST.sub("", text)
    return foreign + [
        text[max(0, each.start() - 40) : each.end() + 20]
        for each in NUMBER.finditer(text)
        if not known.holds(Decimal(each.group().replace(",", "")))
    ]


def read_out(element: ET.Element) -> str:
    """What is read on a page: no style, no amounts of axes, no numbers of footnotes, no dots of the market."""
    return "\n".join(_said(element))


def _said(element: ET.Element) -> Iterator[str]:
    kinds = element.get("class", "").split()
    dot = any(child.get("class") == "dot" for child in element)
    if element.tag not in {"style", "sup"} and "tick" not in kinds and not dot:
        yield element.text or ""
        yield element.get("aria-label", "")
        for child in element:
            yield from _said(child)
            yield child.tail or ""


def read_out_markdown(text: str) -> str:
    """The same of Markdown: neither numbers of footnotes nor those of the list that they lead to."""
    return re.sub(r"^\d+\. ", "", re.sub(r"<sup>\[[\d, ]+\]</sup>", "", text), flags=re.MULTILINE)


def _catalogued(of: Made) -> Iterator[str]:
    sources = {line.source for option in of.quote.options for line in option.bill.lines}
    for standing in of.standings:
        for pool in standing.pools:
            accelerator = of.catalog.accelerators[pool.accelerator]
            sources.add(accelerator.source)
            yield str(accelerator.tflops[standing.precision])
    for each in sources & set(of.catalog.sources):
        source = of.catalog.sources[each]
        yield f"{source.text} {source.url} {source.as_of}"


def _reckoned(said: Any) -> Iterator[Decimal]:
    """Sums by chapter of each bill, and counts."""
    lines = [line for option in said["options"] for line in option["bill"]["lines"]]
    undated = {(each["item"], each["source"]) for each in _undated(lines)}
    age = date.fromisoformat(said["priced_at"]) - date.fromisoformat(said["prices_as_of"])
    yield from (Decimal(len(said["options"])), Decimal(len(undated)), Decimal(age.days))
    yield from (Decimal(each["age_days"]) for each in (said["oldest_price"], *said["aging_prices"]))
    yield Decimal(len(said["aging_prices"]) - NAMES_SHOWN)
    for option in said["options"]:
        yield from (each for run in option["runs"] for each in numbers(duration(Decimal(run["hours"]))))
        yield from (round(abs(Decimal(twin["share"])) * 100, 1) for twin in option["twins"])
        groups = {line["group"] for line in option["bill"]["lines"]}
        for group in groups:
            inside = [line for line in option["bill"]["lines"] if line["group"] == group]
            yield Decimal(sum(line["state"] == "unpriced" for line in inside))
            priced = [line["usd_per_month"] for line in inside if line["usd_per_month"]]
            for reading in ("min", "expected", "max"):
                yield sum((Decimal(each[reading]) for each in priced), start=Decimal(0))
        yield Decimal(len(option["bill"]["unpriced"]))


def _undated(lines: Iterable[Any]) -> Iterator[Any]:
    yield from (
        line for line in lines if line["state"] == "priced" and line["as_of"] is None and line["source"] != "checklist"
    )


def _counted(of: Made) -> Iterator[int]:
    """Machines on sale in each precision, counted anew: those that cost less per TFLOP than a pool does."""
    for standing in of.standings:
        least: dict[tuple[str, str], Decimal] = {}
        for each in worth_of_machines(of.catalog, precision=standing.precision):
            key = (each.provider, each.machine)
            least[key] = min(each.usd_per_1000_tflops_hour, least.get(key, each.usd_per_1000_tflops_hour))
        yield from (len(least), len({provider for provider, _ in least}))
        worth = {each.pool: each for option in of.quote.options for each in option.worth}
        rates = [each.usd_per_1000_tflops_hour for each in worth.values()]
        rates += [each.usd_per_1000_tflops_hour for option in of.quote.options for each in option.worth]
        yield from (sum(usd < rate for usd in least.values()) for rate in rates if rate is not None)
