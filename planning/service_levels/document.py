"""A month's report as a document in which every figure says where it is from, and its words for the terminal."""

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
    """The report.

    Args:
        table_source: what a footnote says of the table of promises.csv: text, page and date.
    """
    quoted = FormFigures(form, table_source=table_source)
    return Document(
        title=say("Service report of ", quoted.at("stack"), ", ", quoted.at("month")),
        subtitle=say(
            "What was delivered, minute by minute, and what is owed back. Reckoned on ",
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
    yield Heading(2, say("Attainment"))
    yield Picture(name=AGAINST, alt=say("Attainment of each part against the levels below which a credit is owed."))
    yield _attainment(form, quoted)
    for at, part in enumerate(form["parts"]):
        if part["promised_percent"] is not None:
            title, share = quoted.at(f"parts.{at}.title"), quoted.promised(at)
            yield Paragraph(say("Promised of ", title, ": ", share, "% of the month, whether a credit is owed or not."))
    yield Heading(2, say("The month, part by part"))
    yield Picture(name=STRIPS, alt=say("Each part from the first to the last day: up, short, excluded, not known."))
    yield from _outages(form, quoted)
    yield Heading(2, say("Credit"))
    yield from _credit(form, quoted)
    yield Heading(2, say("Exclusions"))
    yield from _exclusions(form, quoted)
    yield Heading(2, say("How it is reckoned"))
    yield Bullets(tuple(_rules(form)))


def _cautions(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    if not form["over"]:
        yield Notice(say("The month is not over: what has not yet been counts as not known."))
    if form["counted_from"] is not None:
        yield Paragraph(say("The work began on ", quoted.at("counted_from"), "; what lies before is not counted."))
    silent = [at for at, part in enumerate(form["parts"]) if not part["recorded"] and part["verdict"] != "not counted"]
    if silent:
        yield Notice(say("Nobody measured, so that nobody can tell: ", quoted.names(silent), "."))
    aside = [at for at, part in enumerate(form["parts"]) if part["verdict"] == "not counted"]
    if aside:
        yield Paragraph(say("Not counted, since the annex leaves them out of the credits: ", quoted.names(aside), "."))
    for at, _ in enumerate(form["not_recorded"]):
        yield Notice(say("Nothing records the placement ", quoted.at(f"not_recorded.{at}"), "."))
    for at, _ in enumerate(form["notes"]):
        yield Paragraph(say("Note: ", quoted.at(f"notes.{at}"), "."))


def _attainment(form: SlaForm, quoted: FormFigures) -> Table:
    head = ("part", "if up", "if down", "owed (h)", "short (h)", "excluded (h)", "not known (h)", "verdict")
    rows: list[tuple[Sentence, ...]] = []
    for at, part in enumerate(form["parts"]):
        path = f"parts.{at}"
        none = "not measured" if part["verdict"] == "not counted" else "nothing owed"
        percents = two(part["attained_percent"], quoted, f"{path}.attained_percent", after="%", none=none)
        hours = (say(quoted.at(f"{path}.hours.{key}")) for key in ("owed", "short", "excluded", "not_known"))
        rows.append((say(quoted.at(f"{path}.title")), *percents, *hours, say(format_verdict(part))))
    caption = say(
        "Attainment, with what nobody measured counted as up and as down. Hours of a pool are node-hours; percentages"
        " are rounded down."
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
            more = derive_figure(len(part["spans"]) - len(chosen), "stretches of time beyond the longest", *inputs)
            yield Paragraph(say("And ", more, " shorter ones."))


def _longest(spans: Sequence[ShortfallPeriodForm]) -> list[int]:
    """Which are shown: the longest, in the order of time."""
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
    head = ("from", "until", "what", "hours", "there", "owed")
    return Table(head=tuple(say(each) for each in head), rows=tuple(rows), numbers_from=3)


def _credit(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    yield Table(
        head=(say("attainment below"), say("credit of the month's charge")),
        rows=tuple((say(quoted.level(at), "%"), say(quoted.share(at), "%")) for at in range(len(form["table"]))),
        caption=say("The table of the agreement." if form["table_from"] == "agreement" else "The table of promises."),
        numbers_from=1,
    )
    rows = tuple(lines_of(form, quoted))
    if rows:
        head = ("part", "line of the bill", "charge if up", "charge if down", "credit if up", "credit if down")
        yield Table(
            head=tuple(say(each) for each in head),
            rows=rows,
            caption=say("Parts that fell short, or may have; USD in this month."),
            numbers_from=2,
        )
    yield Paragraph(_sum(form, quoted))
    for at, _ in enumerate(form["untold"]):
        yield Notice(say("Nobody can tell the credit of ", quoted.at(f"untold.{at}"), ": it has no price in the lock."))
    yield from _unusable(form, quoted)


def _sum(form: SlaForm, quoted: FormFigures) -> Sentence:
    sums = two(form["credit_usd"], quoted, "credit_usd", after=" USD")
    floor = "at least " if form["untold"] else ""
    if form["credit_usd"]["if_up"] == form["credit_usd"]["if_down"]:
        return say("Owed back: ", floor, sums[0], ", whatever stood while nobody measured.")
    return say("Owed back: ", floor, sums[0], ", and ", floor, sums[1], " if what nobody measured was down.")


def _unusable(form: SlaForm, quoted: FormFigures) -> Iterator[Block]:
    """What nodes cost that could not be used: for comparison, since the annex owes the credit by the table."""
    rows: list[tuple[Sentence, ...]] = []
    for at, part in enumerate(form["parts"]):
        usd = part["unusable_usd"]
        if usd is not None and usd["if_down"] != "0.00":
            rows.append((say(quoted.at(f"parts.{at}.title")), *two(usd, quoted, f"parts.{at}.unusable_usd")))
    if rows:
        yield Table(
            head=(say("part"), say("USD if up"), say("USD if down")),
            rows=tuple(rows),
            caption=say(
                "For comparison: what the node-hours cost that were paid for and could not be used. The annex owes the"
                " credit by the table above, not this."
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
        yield say("A sample stands for the time that begins at it; samples are ", step, " seconds apart.")
    yield say(
        "A node counts as delivered while it is ready, not cordoned, through its burn-in, and offers all of its"
        " accelerators. More nodes than are owed count as those that are owed."
    )
    yield say("Excluded time is not counted as a failure. It never makes a month worse.")
    yield say(
        "The credit of a part is its share of what the lines of the part cost in the month. Each line is credited once,"
        " at the largest share of the parts that it belongs to, and rounded half up to cents."
    )
    yield say(
        "Nodes that come and go are charged by the node-hours that were owed; everything else by its month in the lock,"
        " by the share of the month that is counted."
    )


SAID_VERDICT: Final[Mapping[str, str]] = {
    "met": "met",
    "below": "below the promise",
    "short": "fell short",
    "cannot tell": "cannot tell",
    "not counted": "not counted",
}
SAID_STANDING: Final[Mapping[str, str]] = {
    "up": "up",
    "short": "fell short",
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

    def names(self, parts: Iterable[int]) -> Sentence:
        return join_sentences(say(self.at(f"parts.{at}.title")) for at in parts)

    def level(self, at: int) -> Figure:
        return self._row(at, self._form["table"][at]["below_percent"], "below_percent", "credit_below")

    def share(self, at: int) -> Figure:
        return self._row(at, self._form["table"][at]["credit_percent"], "credit_percent", "credit")

    def promised(self, at: int) -> Figure:
        """The share of the month that is promised of a part, where it stands; only asked of one that has it."""
        text = str(self._form["parts"][at]["promised_percent"])
        match self._form["promised_from"]:
            case "lock":
                return of_lock(text, "placements.0.platform.slo_percent")
            case "checklist":
                return of_checklist(text, "slo_percent")
            case "promises":
                return of_catalog(text, "promises.csv slo_uptime values", source=self._table_source)

    def _row(self, at: int, text: str, field: str, promise: str) -> Figure:
        if self._form["table_from"] == "agreement":
            return of_checklist(text, f"agreement.credits.{at}.{field}")
        return of_catalog(text, f"promises.csv {promise} values", source=self._table_source)


def format_verdict(part: PartForm) -> str:
    """A part's verdict in words: below the promise, with nothing owed where that is sure."""
    nothing = part["verdict"] == "below" and part["credit_percent"]["if_down"] == "0"
    return SAID_VERDICT[part["verdict"]] + (", nothing owed" if nothing else "")


def two(
    found: TwoForm | None, quoted: FormFigures, path: str, *, after: str = "", none: str = "-"
) -> tuple[Sentence, Sentence]:
    """Both readings."""
    if found is None:
        return say(none), say(none)
    return say(quoted.at(f"{path}.if_up"), after), say(quoted.at(f"{path}.if_down"), after)


def conclusion(form: SlaForm, quoted: FormFigures) -> Sentence:
    sums = two(form["credit_usd"], quoted, "credit_usd", after=" USD")
    floor = "at least " if form["untold"] else ""
    same = form["credit_usd"]["if_up"] == form["credit_usd"]["if_down"]
    between = say(" Between ", floor, sums[0], " and ", floor, sums[1], " would be owed back.")
    owed = say(" Nothing is owed back.") if same and not floor else between
    short, below, unsure = (
        [at for at, part in enumerate(form["parts"]) if part["verdict"] == verdict]
        for verdict in ("short", "below", "cannot tell")
    )
    if short:
        worse = say("") if same else say(", and ", floor, sums[1], " if what nobody measured was down")
        return say("Fell short: ", quoted.names(short), ". Owed back: ", floor, sums[0], worse, ".")
    if below:
        return say("Below the promise: ", quoted.names(below), ".", owed)
    if unsure:
        return say("Cannot tell: ", quoted.names(unsure), ".", owed)
    if form["not_recorded"]:
        return say("Cannot tell: nothing records what lies beside home.")
    return say("Met: nothing is owed back.")


def lines_of(form: SlaForm, quoted: FormFigures) -> Iterator[tuple[Sentence, ...]]:
    """Rows of the table of credits: lines of parts of which something is owed back, or may be."""
    for at, part in enumerate(form["parts"]):
        if part["credit_percent"]["if_down"] == "0":
            continue
        for index, line in enumerate(part["lines"]):
            path = f"parts.{at}.lines.{index}"
            charge = two(line["charge_usd"], quoted, f"{path}.charge_usd", none="no price")
            credit = two(line["credit_usd"], quoted, f"{path}.credit_usd", none="cannot tell")
            yield (say(quoted.at(f"parts.{at}.title")), say(quoted.at(f"{path}.label")), *charge, *credit)
