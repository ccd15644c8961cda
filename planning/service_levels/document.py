"""A month's report as a document in which every figure says where it is from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.documents.blocks import Bullets, Document, Heading, Notice, Paragraph, Picture, Table
from planning.documents.figures import Figure, Origin, derive_figure, say
from planning.service_levels.formatting import (
    SAID_CAUSE,
    SAID_STANDING,
    FormFigures,
    cell,
    conclusion,
    format_verdict,
    lines_of,
    two,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from planning.documents.blocks import Block
    from planning.documents.figures import Sentence
    from planning.service_levels.form import PartForm, ShortfallPeriodForm, SlaForm

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
        hours = (cell(quoted.at(f"{path}.hours.{key}")) for key in ("owed", "short", "excluded", "not_known"))
        rows.append((cell(quoted.at(f"{path}.title")), *percents, *hours, say(format_verdict(part))))
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
        had = cell(quoted.at(f"{path}.delivered")) if span["delivered"] is not None else say("not known")
        moments = (cell(quoted.at(f"{path}.start")), cell(quoted.at(f"{path}.end")))
        hours, owed = cell(quoted.at(f"{path}.hours")), cell(quoted.at(f"{path}.owed"))
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
            rows.append((cell(quoted.at(f"parts.{at}.title")), *two(usd, quoted, f"parts.{at}.unusable_usd")))
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
        fields = (cell(quoted.at(f"{path}.{key}")) for key in ("component", "start", "end", "reason"))
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
