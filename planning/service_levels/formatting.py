"""The words of a month's report, shared by the document and the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

from planning.documents.figures import Figure, Origin, Sentence, join_sentences, of_catalog, of_checklist, of_lock, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from planning.service_levels.form import PartForm, PartVerdict, SlaForm, TwoForm

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


def cell(figure: Figure) -> Sentence:
    return say(figure)


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
    short, below, unsure = (_select_by_verdict(form, verdict) for verdict in ("short", "below", "cannot tell"))
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


def _select_by_verdict(form: SlaForm, verdict: PartVerdict) -> list[int]:
    return [at for at, part in enumerate(form["parts"]) if part["verdict"] == verdict]


def lines_of(form: SlaForm, quoted: FormFigures) -> Iterator[tuple[Sentence, ...]]:
    """Rows of the table of credits: lines of parts of which something is owed back, or may be."""
    for at, part in enumerate(form["parts"]):
        if part["credit_percent"]["if_down"] == "0":
            continue
        for index, line in enumerate(part["lines"]):
            path = f"parts.{at}.lines.{index}"
            charge = two(line["charge_usd"], quoted, f"{path}.charge_usd", none="no price")
            credit = two(line["credit_usd"], quoted, f"{path}.credit_usd", none="cannot tell")
            yield (cell(quoted.at(f"parts.{at}.title")), cell(quoted.at(f"{path}.label")), *charge, *credit)
