"""Formats names and figures of a report, each with its path in the report's JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.acceptance.limits import plain
from planning.agents.measurement_records import BY_ID
from planning.documents.figures import DIGIT, Figure, Origin, Sentence, derive_figure, format_value, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.acceptance.report.form import AcceptanceForm, AcceptancePoolForm, VerdictForm

CHECKLIST: Final = "checklist.yaml "
GIB: Final = 2**30
NOT_MEASURED: Final = say("not measured")
FAILED: Final = "failed"
PASSED: Final = "passed"
UNTOLD: Final = ("missing", "undetermined")
ORDER: Final = (FAILED, *UNTOLD, PASSED, "noted")


def from_report(text: str, at: str) -> Figure:
    return Figure(text=text, origin=Origin.MEASURED, at=at)


def quote_text(text: str, at: str) -> Sentence:
    """Text of the report's JSON; a figure where it has digits."""
    return say(from_report(text, at)) if DIGIT.search(text) else say(text)


@dataclass(frozen=True)
class Speaker:
    """Sentences on one report; `sources` maps ids of sources.csv to their text."""

    form: AcceptanceForm
    sources: Mapping[str, str]
    places: dict[str, str] = field(default_factory=dict[str, str])
    order: dict[tuple[str, str, str, str], int] = field(default_factory=dict[tuple[str, str, str, str], int])

    def __post_init__(self) -> None:
        for index, verdict in enumerate(self.form["verdicts"]):
            self.places[verdict["subject"]] = f"verdicts.{index}.subject"
            key = verdict["check"], verdict["subject"], verdict["sentence"], str(verdict["params"])
            self.order[key] = index
        for index, record in reversed(list(enumerate(self.form["results"]["measured"]))):
            self.places[record["subject"]] = f"results.measured.{index}.subject"
        for pool in self.form["pools"]:
            self.places[pool["subject"]] = f"{pool['at']}.name"

    @property
    def several(self) -> bool:
        return len({each["subject"].split("/")[1] for each in self.form["verdicts"] if each["pool"] == ""}) > 1

    def name(self, subject: str) -> Sentence:
        per, _, whole = subject.partition("/")
        text = whole if per == "node" or self.several else whole.rpartition("/")[2]
        if not DIGIT.search(text):
            return say(text)
        at = self.places.get(subject, "")
        if per == "pool":
            lock_name = Figure(text=whole.rpartition("/")[2], origin=Origin.LOCK, at=at)
            return say(lock_name) if not self.several else say(from_report(text, self._find_verdict(subject)))
        return say(from_report(text, at)) if at else say(from_report(text, self._find_node(text)))

    def find_index(self, verdict: VerdictForm) -> int:
        """Index of a verdict in the report."""
        key = verdict["check"], verdict["subject"], verdict["sentence"], str(verdict["params"])
        return self.order[key]

    def format_measurement(self, verdict: VerdictForm) -> Sentence:
        value = verdict["measured"]
        if value is None:
            return NOT_MEASURED
        said = say(self.build_figure(verdict), _unit(verdict))
        return say(said, " failed") if verdict["outcome"] == FAILED else said

    def build_figure(self, verdict: VerdictForm) -> Figure:
        text = format_value(Decimal(verdict["measured"] or "0"))
        return from_report(text, verdict["at"] or f"verdicts.{self.find_index(verdict)}.measured")

    def describe_check(self, verdict: VerdictForm) -> Sentence:
        title = BY_ID[verdict["check"]].title
        params = verdict["params"]
        if params.get("reading"):
            return say(title, ": ", self.quote_param(verdict, "reading"))
        said = say(title)
        if params.get("nodes"):
            said = say(said, " over ", self.quote_param(verdict, "nodes"), " nodes")
        return say(said, " with ", self.format_payload(verdict)) if params.get("payload_bytes") else said

    def describe_bound(self, verdict: VerdictForm) -> Sentence:
        if verdict["least"] is not None:
            return say("at least ", self._build_limit_of(verdict, verdict["least"]), _unit(verdict))
        if verdict["most"] is not None:
            return say("less than ", self._build_limit_of(verdict, verdict["most"]), _unit(verdict))
        return say("nothing") if not verdict["why"] else self._quote_reason(verdict)

    def describe_theory(self, verdict: VerdictForm) -> Sentence:
        if verdict["theory"] is None:
            return say("")
        return say(self._build_limit_of(verdict, verdict["theory"]), _unit(verdict))

    def quote_sentence(self, verdict: VerdictForm) -> Sentence:
        return quote_text(verdict["sentence"], f"verdicts.{self.find_index(verdict)}.sentence")

    def quote_param(self, verdict: VerdictForm, name: str) -> Sentence:
        index = self.find_index(verdict)
        return quote_text(verdict["params"].get(name, ""), f"verdicts.{index}.params.{name}")

    def format_payload(self, verdict: VerdictForm) -> Sentence:
        index = self.find_index(verdict)
        octets = verdict["params"].get("payload_bytes", "0")
        return say(format_bytes(int(octets), f"verdicts.{index}.params.payload_bytes"))

    def find_pool(self, subject: str) -> AcceptancePoolForm | None:
        return next((each for each in self.form["pools"] if each["subject"] == subject), None)

    def build_limit(self, text: str, *, why: str, source: str) -> Figure:
        """A limit with its reason and source."""
        if source.startswith(CHECKLIST):
            return Figure(text=text, origin=Origin.CHECKLIST, at=source.removeprefix(CHECKLIST), source=why)
        named = Figure(
            text=source or "not stated",
            origin=Origin.CATALOG,
            at=f"sources.csv {source} id",
            source=self.sources.get(source, source),
        )
        return Figure(text=text, origin=Origin.CALCULATED, at=why or "as promised", inputs=(named,))

    def _build_limit_of(self, verdict: VerdictForm, value: str) -> Figure:
        return self.build_limit(plain(Decimal(value)), why=verdict["why"], source=verdict["source"])

    def _quote_reason(self, verdict: VerdictForm) -> Sentence:
        return quote_text(verdict["why"], f"verdicts.{self.find_index(verdict)}.why")

    def _find_verdict(self, subject: str) -> str:
        found = (index for index, each in enumerate(self.form["verdicts"]) if each["subject"] == subject)
        return f"verdicts.{next(found, 0)}.subject"

    def _find_node(self, name: str) -> str:
        found = (index for index, each in enumerate(self.form["nodes"]) if each["name"] == name)
        return f"nodes.{next(found, 0)}.name"


def format_bytes(octets: int, at: str) -> Figure:
    return derive_figure(gib(octets), "bytes in binary units", from_report(format_value(octets), at))


def gib(octets: int) -> str:
    return f"{octets // GIB} GiB" if octets >= GIB else f"{octets // 2**20} MiB"


def _unit(verdict: VerdictForm) -> str:
    return f" {verdict['unit']}" if verdict["unit"] else ""
