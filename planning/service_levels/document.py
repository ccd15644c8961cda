"""The monthly service report as a document with the origin of every figure, and its conclusion for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

from planning.documents.blocks import Bullets, Document, Heading, Notice, Paragraph, Picture, Table
from planning.documents.figures import (
    Figure,
    Origin,
    Sentence,
    derive_figure,
    join_sentences,
    of_catalog,
    of_checklist,
    of_lock,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from planning.documents.blocks import Block
    from planning.service_levels.form import PartForm, ShortfallPeriodForm, SlaForm, TwoForm

STRIPS: Final = "strips"
AGAINST: Final = "attained"
MOST_SPANS: Final = 12  # of one part; more are counted


def document(form: SlaForm, *, table_source: str) -> Document:
    """Build the report.

    Args:
        table_source: footnote on the table of promises.csv: text, page and date.
    """
    quoted = FormFigures(form, table_source=table_source)
    return Document(
        title=say("Service report of ", quoted.at("stack"), ", ", quoted.at("month")),
        subtitle=say(
            "Availability, minute by minute, and the service credit. Calculated on ",
            quoted.at("reckoned_on"),
            " from ",
            quoted.at("source"),
            ". Months are those of UTC.",
        ),
        blocks=tuple(_blocks(form, quoted)),
    )


def _blocks(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    yield Notice(conclusion(form, quoted))
    yield from _cautions(form, quoted)
    yield Heading(2, say("Availability"))
    yield Picture(name=AGAINST, alt=say("Availability of each part against the levels below which a credit is due."))
    yield _attainment(form, quoted)
    for at, part in enumerate(form["parts"]):
        if part["promised_percent"] is not None:
            title, share = quoted.at(f"parts.{at}.title"), quoted.quote_promise(at)
            yield Paragraph(
                say("Promised availability of ", title, ": ", share, "% of the month, with or without a credit.")
            )
    yield Heading(2, say("The month, part by part"))
    yield Picture(
        name=STRIPS, alt=say("Each part from the first to the last day: up, below target, excluded, not known.")
    )
    yield from _outages(form, quoted)
    yield Heading(2, say("Credit"))
    yield from _credit(form, quoted)
    yield Heading(2, say("Exclusions"))
    yield from _exclusions(form, quoted)
    yield Heading(2, say("Method of calculation"))
    yield Bullets(tuple(_rules(form)))


def _cautions(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    if not form["over"]:
        yield Notice(say("The month is not over: its remaining time counts as not known."))
    if form["counted_from"] is not None:
        yield Paragraph(say("The work began on ", quoted.at("counted_from"), "; earlier time is not counted."))
    silent = [at for at, part in enumerate(form["parts"]) if not part["recorded"] and part["verdict"] != "not counted"]
    if silent:
        yield Notice(say("Undetermined, because nothing was measured: ", quoted.join_names(silent), "."))
    aside = [at for at, part in enumerate(form["parts"]) if part["verdict"] == "not counted"]
    if aside:
        yield Paragraph(
            say("Not counted, because the annex grants no credit for them: ", quoted.join_names(aside), ".")
        )
    for at, _ in enumerate(form["not_recorded"]):
        yield Notice(say("No series are recorded on the placement ", quoted.at(f"not_recorded.{at}"), "."))
    for at, _ in enumerate(form["notes"]):
        yield Paragraph(say("Note: ", quoted.at(f"notes.{at}"), "."))


def _attainment(form: SlaForm, quoted: FormFigures) -> Table:
    head = ("part", "if up", "if down", "committed (h)", "missing (h)", "excluded (h)", "not known (h)", "verdict")
    rows: list[tuple[Sentence, ...]] = []
    for at, part in enumerate(form["parts"]):
        path = f"parts.{at}"
        none = "not measured" if part["verdict"] == "not counted" else "nothing committed"
        percents = quote_readings(part["attained_percent"], quoted, f"{path}.attained_percent", after="%", none=none)
        hours = (say(quoted.at(f"{path}.hours.{key}")) for key in ("owed", "short", "excluded", "not_known"))
        rows.append((say(quoted.at(f"{path}.title")), *percents, *hours, say(format_verdict(part))))
    caption = say(
        "Availability, with unmeasured time counted as up and as down. Hours of a pool are node-hours; percentages are"
        " rounded down."
    )
    return Table(head=tuple(say(each) for each in head), rows=tuple(rows), caption=caption, numbers_from=1)


def _outages(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    for at, part in enumerate(form["parts"]):
        chosen = _longest(part["spans"])
        if not chosen or (part["verdict"] == "not counted" and not part["recorded"]):
            continue
        yield Heading(3, say(quoted.at(f"parts.{at}.title")))
        yield _span_table(part, at, chosen, quoted)
        if len(part["spans"]) > len(chosen):
            inputs = (quoted.at(f"parts.{at}.spans.{index}.hours") for index in chosen)
            more = derive_figure(len(part["spans"]) - len(chosen), "periods beyond the longest", *inputs)
            yield Paragraph(say("And ", more, " shorter periods."))


def _longest(spans: Sequence[ShortfallPeriodForm]) -> list[int]:
    """Indices of the longest periods, in order of time."""
    by_length = sorted(range(len(spans)), key=lambda at: spans[at]["start_second"] - spans[at]["end_second"])
    return sorted(by_length[:MOST_SPANS])


def _span_table(part: PartForm, at: int, chosen: Sequence[int], quoted: FormFigures) -> Table:
    rows: list[tuple[Sentence, ...]] = []
    for index in chosen:
        path, span = f"parts.{at}.spans.{index}", part["spans"][index]
        had = say(quoted.at(f"{path}.delivered")) if span["delivered"] is not None else say("not known")
        moments = (say(quoted.at(f"{path}.start")), say(quoted.at(f"{path}.end")))
        hours, owed = say(quoted.at(f"{path}.hours")), say(quoted.at(f"{path}.owed"))
        rows.append((*moments, say(SAID_STANDING[span["standing"]]), hours, had, owed))
    head = ("from", "until", "state", "hours", "delivered", "committed")
    return Table(head=tuple(say(each) for each in head), rows=tuple(rows), numbers_from=3)


def _credit(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    yield Table(
        head=(say("availability below"), say("credit of the month's charge")),
        rows=tuple(
            (say(quoted.quote_level(at), "%"), say(quoted.quote_share(at), "%")) for at in range(len(form["table"]))
        ),
        caption=say("The table of the agreement." if form["table_from"] == "agreement" else "The table of promises."),
        numbers_from=1,
    )
    rows = tuple(_credit_rows(form, quoted))
    if rows:
        head = ("part", "line of the bill", "charge if up", "charge if down", "credit if up", "credit if down")
        yield Table(
            head=tuple(say(each) for each in head),
            rows=rows,
            caption=say("Parts whose SLA was, or may have been, missed; USD in this month."),
            numbers_from=2,
        )
    yield Paragraph(_sum(form, quoted))
    for at, _ in enumerate(form["untold"]):
        yield Notice(
            say("Undetermined: the credit of ", quoted.at(f"untold.{at}"), ", which has no price in the lock.")
        )
    yield from _unusable(form, quoted)


def _sum(form: SlaForm, quoted: FormFigures) -> Sentence:
    sums = quote_readings(form["credit_usd"], quoted, "credit_usd", after=" USD")
    floor = "at least " if form["untold"] else ""
    if form["credit_usd"]["if_up"] == form["credit_usd"]["if_down"]:
        return say("Service credit: ", floor, sums[0], ", whether unmeasured time was up or down.")
    return say("Service credit: ", floor, sums[0], ", and ", floor, sums[1], " if unmeasured time was down.")


def _unusable(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    """Cost of unusable nodes, for comparison with the credit."""
    rows: list[tuple[Sentence, ...]] = []
    for at, part in enumerate(form["parts"]):
        usd = part["unusable_usd"]
        if usd is not None and usd["if_down"] != "0.00":
            rows.append((say(quoted.at(f"parts.{at}.title")), *quote_readings(usd, quoted, f"parts.{at}.unusable_usd")))
    if rows:
        yield Table(
            head=(say("part"), say("USD if up"), say("USD if down")),
            rows=tuple(rows),
            caption=say(
                "For comparison: the cost of node-hours that were paid for and could not be used. The credit follows"
                " the table above, not this cost."
            ),
            numbers_from=1,
        )


def _exclusions(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    if not form["exclusions"]:
        yield Paragraph(say("None were named."))
        return
    rows: list[tuple[Sentence, ...]] = []
    for at, each in enumerate(form["exclusions"]):
        path = f"exclusions.{at}"
        fields = (say(quoted.at(f"{path}.{key}")) for key in ("component", "start", "end", "reason"))
        refused = say("no: ", quoted.at(f"{path}.refused")) if each["refused"] else say("yes")
        rows.append((say(SAID_CAUSE[each["cause"]]), *fields, refused))
    head = ("cause", "part", "from", "until", "reason", "excluded")
    yield Table(head=tuple(say(each) for each in head), rows=tuple(rows))


def _rules(form: SlaForm) -> Iterator[Sentence]:
    if form["step_seconds"]:
        step = Figure(text=str(form["step_seconds"]), origin=Origin.MEASURED, at="step_seconds")
        yield say("A sample stands for the interval that begins at it; samples are ", step, " seconds apart.")
    yield say(
        "A node counts as delivered while it is ready, not cordoned, past its burn-in, and offers all of its"
        " accelerators. Nodes beyond the committed number do not count."
    )
    yield say("Excluded time is not counted as a failure. It never makes a month worse.")
    yield say(
        "The credit of a part is its share of what the lines of the part cost in the month. Each line is credited once,"
        " at the largest share of the parts that it belongs to, and rounded half up to cents."
    )
    yield say(
        "Autoscaled nodes are charged by committed node-hours; everything else by its monthly cost in the lock,"
        " in proportion to the counted share of the month."
    )


SAID_VERDICT: Final[Mapping[str, str]] = {
    "met": "met",
    "below": "below the promise",
    "short": "SLA missed",
    "undetermined": "undetermined",
    "not counted": "not counted",
}
SAID_STANDING: Final[Mapping[str, str]] = {
    "up": "up",
    "short": "below target",
    "excluded": "excluded",
    "not known": "not known",
    "before": "before the work began",
}
SAID_CAUSE: Final[Mapping[str, str]] = {
    "maintenance": "announced maintenance",
    "customer": "the customer's own act",
    "force_majeure": "force majeure",
}


@final
class FormFigures:
    """Figures of a form, by their path in it."""

    def __init__(self, form: SlaForm, *, table_source: str) -> None:
        self._form = form
        self._table_source = table_source

    def at(self, path: str) -> Figure:
        found: object = self._form
        for step in path.split("."):
            if isinstance(found, list):
                found = cast("list[object]", found)[int(step)]
            else:
                found = cast("Mapping[str, object]", found)[step]
        return Figure(text=str(found), origin=Origin.MEASURED, at=path)

    def join_names(self, parts: Iterable[int]) -> Sentence:
        return join_sentences(say(self.at(f"parts.{at}.title")) for at in parts)

    def quote_level(self, at: int) -> Figure:
        return self._quote_row(at, self._form["table"][at]["below_percent"], "below_percent", "credit_below")

    def quote_share(self, at: int) -> Figure:
        return self._quote_row(at, self._form["table"][at]["credit_percent"], "credit_percent", "credit")

    def quote_promise(self, at: int) -> Figure:
        """Promised availability of a part that has one, with its origin."""
        text = str(self._form["parts"][at]["promised_percent"])
        match self._form["promised_from"]:
            case "lock":
                return of_lock(text, "placements.0.platform.slo_percent")
            case "checklist":
                return of_checklist(text, "slo_percent")
            case "promises":
                return of_catalog(text, "promises.csv slo_uptime values", source=self._table_source)

    def _quote_row(self, at: int, text: str, field: str, promise: str) -> Figure:
        if self._form["table_from"] == "agreement":
            return of_checklist(text, f"agreement.credits.{at}.{field}")
        return of_catalog(text, f"promises.csv {promise} values", source=self._table_source)


def format_verdict(part: PartForm) -> str:
    """A part's verdict; where a missed promise certainly grants no credit, it says so."""
    no_credit = part["verdict"] == "below" and part["credit_percent"]["if_down"] == "0"
    return SAID_VERDICT[part["verdict"]] + (", no credit due" if no_credit else "")


def quote_readings(
    found: TwoForm | None, quoted: FormFigures, path: str, *, after: str = "", none: str = "-"
) -> tuple[Sentence, Sentence]:
    if found is None:
        return say(none), say(none)
    return say(quoted.at(f"{path}.if_up"), after), say(quoted.at(f"{path}.if_down"), after)


def conclusion(form: SlaForm, quoted: FormFigures) -> Sentence:
    sums = quote_readings(form["credit_usd"], quoted, "credit_usd", after=" USD")
    floor = "at least " if form["untold"] else ""
    same = form["credit_usd"]["if_up"] == form["credit_usd"]["if_down"]
    between = say(" Service credit: between ", floor, sums[0], " and ", floor, sums[1], ".")
    credit = say(" No service credit is due.") if same and not floor else between
    short, below, unsure = (
        [at for at, part in enumerate(form["parts"]) if part["verdict"] == verdict]
        for verdict in ("short", "below", "undetermined")
    )
    if short:
        worse = say("") if same else say(", and ", floor, sums[1], " if unmeasured time was down")
        return say("SLA missed: ", quoted.join_names(short), ". Service credit: ", floor, sums[0], worse, ".")
    if below:
        return say("Below the promise: ", quoted.join_names(below), ".", credit)
    if unsure:
        return say("Undetermined: ", quoted.join_names(unsure), ".", credit)
    if form["not_recorded"]:
        return say("Undetermined: no series are recorded on additional placements.")
    return say("SLA met: no service credit is due.")


def _credit_rows(form: SlaForm, quoted: FormFigures) -> Iterator[tuple[Sentence, ...]]:
    """Lines of the bill of parts for which a credit is, or may be, due."""
    for at, part in enumerate(form["parts"]):
        if part["credit_percent"]["if_down"] == "0":
            continue
        for index, line in enumerate(part["lines"]):
            path = f"parts.{at}.lines.{index}"
            charge = quote_readings(line["charge_usd"], quoted, f"{path}.charge_usd", none="no price")
            credit = quote_readings(line["credit_usd"], quoted, f"{path}.credit_usd", none="undetermined")
            yield (say(quoted.at(f"parts.{at}.title")), say(quoted.at(f"{path}.label")), *charge, *credit)
