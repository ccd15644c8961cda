"""The options of a quote on one page that needs nothing but itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driver.html.bars import bill_chart, legend
from driver.html.dots import rate_chart, rate_rows
from driver.html.markup import Markup, cells, element, joined, words
from driver.html.style import STYLE
from driver.render.amounts import NOT_KNOWN, floor, nodes, number, percent, total, unpriced_note, usd, usd_range
from driver.render.bill import derivation
from driver.render.options import heading, lead_worth, named_pools, option_details, views, where
from planning.bill import Bill, Group, State
from planning.bill import total as sum_of
from planning.json_form import versus_big_three_percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.bill import LineItem
    from planning.lock import Ceilings
    from planning.quote import Option, Quote


def page(quote: Quote, *, ceiling: Ceilings) -> str:
    """The whole page as text, without anything that would be fetched."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", words(f"{quote.stack}: options")),
        element("style", Markup(STYLE)),
    )
    body = element("body", joined(_body(quote, ceiling)))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _body(quote: Quote, ceiling: Ceilings) -> Iterator[Markup]:
    yield element("h1", words(f"GPU cluster options for {quote.stack}"))
    yield element("p", words(heading(quote)), class_="faint")
    yield element("p", words(_ceiling_text(ceiling)), class_="faint")
    yield element("h2", words("A month of each option"))
    yield legend(quote.options)
    yield _wide(bill_chart(quote.options, ceiling=ceiling.usd_per_month))
    if rate_rows(quote.options):
        yield element("h2", words("An accelerator for an hour, against the cheapest of AWS, GCP and Azure"))
        yield _wide(rate_chart(quote.options))
    yield element("h2", words("Side by side"))
    yield _wide(_comparison(quote.options))
    for option in quote.options:
        yield from _option(option)
    yield from _reasons(quote)


def _wide(content: Markup) -> Markup:
    """Content that scrolls sideways by itself where the screen is narrower."""
    return element("div", content, class_="wide")


def _ceiling_text(ceiling: Ceilings) -> str:
    limits = {
        "a month": ceiling.usd_per_month,
        "over the contract": ceiling.usd_per_contract,
        "for an accelerator-hour": ceiling.usd_per_gpu_hour,
    }
    said = [f"{usd(limit)} USD {what}" for what, limit in limits.items() if limit is not None]
    return f"Ceiling: {', '.join(said)}; it binds the {ceiling.binds} reading." if said else "No ceiling is set."


def _comparison(options: Sequence[Option]) -> Markup:
    columns = ("option", "view", "min", "expected", "max", "GPU-hour", "vs big three", "one run", "costs", "verdict")
    head = element("thead", cells("th", columns, numbers_from=2))
    rows = (cells("td", _compared(option), numbers_from=2) for option in options)
    caption = element("caption", words("Amounts in USD; min, expected and max are of a month"), class_="faint")
    return element("table", caption, head, element("tbody", joined(rows)), class_="comparison")


def _compared(option: Option) -> tuple[str, ...]:
    lead = lead_worth(option)
    run = max(option.runs, key=lambda each: each.hours, default=None)
    missing = len(option.bill.unpriced)
    note = f", {unpriced_note(missing)}" if missing else ""
    return (
        option.id,
        views(option),
        *(floor(amount, unpriced=missing) for amount in usd_range(option.bill.usd_per_month)),
        usd(lead.usd_per_gpu_hour) if lead else NOT_KNOWN,
        percent(versus_big_three_percent(lead)) if lead else NOT_KNOWN,
        f"{number(run.hours)} h" if run else NOT_KNOWN,
        usd(run.usd) if run else NOT_KNOWN,
        f"{option.judgement.verdict}{note}",
    )


def _option(option: Option) -> Iterator[Markup]:
    verdict = option.judgement.verdict
    expected = total(option.bill.usd_per_month.expected, bill=option.bill)
    yield element("h2", words(option.id))
    yield element(
        "p",
        words(f"{views(option)} · {where(option)} · {expected} USD a month expected · "),
        element("span", words(verdict.value), class_=f"verdict {verdict.replace(' ', '-')}"),
    )
    yield _wide(_pools(option))
    yield element("dl", *_details(option))
    yield element("details", element("summary", words("The whole bill, with sources")), _wide(_bill(option.bill)))


def _pools(option: Option) -> Markup:
    head = cells("th", ("pool", "machine", "accelerators", "purchase", "nodes min / exp / max"), numbers_from=4)
    rows = (
        cells(
            "td",
            (
                name,
                pool.machine,
                f"{pool.accelerators}x {pool.accelerator}" if pool.accelerator else "",
                pool.purchase.replace("_", " "),
                nodes(pool),
            ),
            numbers_from=4,
        )
        for name, pool in named_pools(option)
    )
    return element("table", element("thead", head), element("tbody", joined(rows)))


def _details(option: Option) -> Iterator[Markup]:
    for label, sentences in option_details(option):
        for position, sentence in enumerate(sentences):
            yield element("dt", words("" if position else label))
            yield element("dd", words(sentence))


def _bill(bill: Bill) -> Markup:
    head = cells("th", ("line", "what it is made of", "min", "expected", "max"), numbers_from=2)
    rows = (row for group in Group for row in _chapter([line for line in bill.lines if line.group is group], group))
    return element("table", element("thead", head), element("tbody", joined(rows), _sum("total", bill.lines)))


def _chapter(lines: Sequence[LineItem], group: Group) -> Iterator[Markup]:
    for line in lines:
        amounts = ("", line.state.value, "") if line.state is not State.PRICED else usd_range(line.usd_per_month)
        yield cells("td", (line.label, derivation(line), *amounts), numbers_from=2)
    if lines:
        yield _sum(group.value, lines)


def _sum(label: str, lines: Sequence[LineItem]) -> Markup:
    missing = len(Bill(tuple(lines)).unpriced)
    amounts = (floor(amount, unpriced=missing) for amount in usd_range(sum_of(lines)))
    row = cells("td", (label, unpriced_note(missing), *amounts), numbers_from=2)
    return Markup(row.replace("<tr>", '<tr class="sum">', 1))


def _reasons(quote: Quote) -> Iterator[Markup]:
    missing = [f"No {view.replace('_', ' ')} option: {why}" for view, why in quote.missing_views.items()]
    advice = [f"To come under the ceiling: {change}" for change in quote.advice]
    sentences = [*([quote.reason] if quote.reason else missing), *advice]
    refused = [f"{reason} ({count})" for reason, count in quote.refusals]
    if not sentences and not refused:
        return
    yield element("h2", words("What was left out, and why"))
    for sentence in (*sentences, *refused):
        yield element("p", words(sentence))
