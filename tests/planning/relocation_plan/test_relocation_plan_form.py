"""The plan as a whole: canonical, closed, with a digest, the same figures in every way in which it is shown."""

from __future__ import annotations

import json
from copy import deepcopy
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from pydantic import TypeAdapter, ValidationError
from relocation_plan_kit import EXAMPLE, Kit
from rich.console import Console

from cli.pages.relocation import page, text
from cli.views.relocation import relocation_parts
from operations.relocation.config.plan_inputs import MeasuredFile, read_measured
from planning.relocation.durations import DurationEstimate
from planning.relocation.formatting import amount, duration, format_names, size_text, span_text
from planning.relocation.plan_form import RelocationPlanForm, digest, lock_digest, plan_form, to_text
from planning.relocation.steps import NAMES, POINT_OF_NO_RETURN
from planning.values.money import Range


@pytest.fixture(scope="module")
def form(kit: Kit) -> RelocationPlanForm:
    return plan_form(kit.plan(kit.google, read_measured(EXAMPLE / "measured.yaml")))


@pytest.fixture(scope="module")
def bare(kit: Kit) -> RelocationPlanForm:
    return plan_form(kit.plan(kit.west))


def shown(form: RelocationPlanForm) -> str:
    console = Console(width=200, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - recorded, not shown
    for part in relocation_parts(form):
        console.print(part)
    console.file.close()
    return console.export_text()


def test_the_form_fits_its_shape_and_the_shape_is_closed(form: RelocationPlanForm) -> None:
    shape = TypeAdapter(RelocationPlanForm)
    assert shape.validate_python(form) == form
    with pytest.raises(ValidationError):
        shape.validate_python({**form, "more": 1})


def test_text_is_canonical_and_the_digest_is_over_everything_else(form: RelocationPlanForm) -> None:
    again = json.loads(to_text(form))
    assert to_text(again) == to_text(form)
    assert form["digest"] == digest(again)
    assert form["digest"].startswith("sha256:")
    touched = deepcopy(form)
    touched["things"][0]["reason"] = "another"
    assert digest(touched) != form["digest"]


def test_the_same_plan_has_the_same_digest_and_other_places_another(kit: Kit) -> None:
    made = kit.plan(kit.west)
    assert plan_form(made) == plan_form(kit.plan(kit.west))
    assert plan_form(made, places_digest="sha256:1")["digest"] != plan_form(made)["digest"]


def test_the_locks_are_held_by_the_digests_that_their_files_state(kit: Kit, form: RelocationPlanForm) -> None:
    assert form["source"]["lock_digest"] == lock_digest(kit.source)
    assert form["source"]["lock_digest"] != form["target"]["lock_digest"]


def test_every_step_is_there_in_order_with_the_point_of_no_return(form: RelocationPlanForm) -> None:
    assert tuple(each["name"] for each in form["steps"]) == NAMES
    assert form["point_of_no_return"] == POINT_OF_NO_RETURN
    spans = {each["name"]: each["span"] for each in form["steps"]}
    assert spans["seed"] is not None
    assert spans["seed"]["seconds"] is not None
    assert spans["plan"] is None


def test_what_moves_has_a_mover_or_says_that_none_is_known_and_what_stays_has_a_reason(
    form: RelocationPlanForm,
) -> None:
    for each in form["things"]:
        assert (each["mover"] is not None) == (each["treatment"] == "moved")
        assert each["reason"]
        assert each["saved_usd"] is None or each["treatment"] != "moved"
    assert any(each["saved_usd"] for each in form["things"])


def test_used_tags_that_the_target_cannot_hold_are_shouted_everywhere(form: RelocationPlanForm) -> None:
    said = "3,412 have tags; the target (gcs) cannot hold them"
    assert said in text(form)
    assert said in page(form)
    assert "LOST" in shown(form)
    data = next(each for each in form["things"] if each["key"] == "bucket/cold-data")
    assert data["mover"] is not None
    assert [(each["feature"], each["count"]) for each in data["mover"]["loses"]] == [("tags", 3412)]


def test_nothing_counted_is_never_nothing_lost(bare: RelocationPlanForm) -> None:
    answer = next(each for each in bare["questions"] if "metadata" in each["question"])
    assert not answer["known"]
    assert answer["sentences"][0] == "What the source uses was not counted yet."
    assert "not looked at yet" in text(bare)


def test_times_are_not_known_without_a_bandwidth_and_are_with_one(
    bare: RelocationPlanForm, form: RelocationPlanForm
) -> None:
    assert bare["times"]["seed"]["seconds"] is None
    assert "not known yet" in text(bare)
    seed = form["times"]["seed"]["seconds"]
    assert seed is not None
    bits = Decimal(50_000 + 60 + 8 + 40 + 1 + 120) * 10**9 * 8
    assert abs(Decimal(seed["max"]) - bits / (4 * 10**9)) < Decimal("0.02") * Decimal(seed["max"])


def test_every_question_is_answered_from_the_figures(form: RelocationPlanForm) -> None:
    answers = {each["question"]: " ".join(each["sentences"]) for each in form["questions"]}
    assert len(answers) == 10
    both = next(said for question, said in answers.items() if "overlap" in question)
    assert "for 4 days" in both
    assert "kept for 30 days" in both
    frozen = next(said for question, said in answers.items() if "frozen" in question)
    assert "the window is 240 minutes" in frozen
    assert "canary write must be refused" in next(said for question, said in answers.items() if "edited" in question)


def test_the_bill_is_the_same_in_all_three_ways(form: RelocationPlanForm) -> None:
    total = f"{Decimal(form['bill']['bill']['usd_per_month']['expected']):,}"
    for words in (text(form), page(form), shown(form)):
        assert total in words


def test_assumptions_are_said(bare: RelocationPlanForm) -> None:
    notes = [each["text"] for each in bare["notes"]]
    assert "assumed: both clusters stand for 14 days (7 to 30), for no bandwidth was named" in notes
    assert "assumed: writers may stand still for 30 minutes" in notes


class Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_fetches_nothing(form: RelocationPlanForm) -> None:
    parser = Nesting()
    parser.feed(page(form))
    assert parser.open == []
    assert parser.fetched == []
    assert page(form).count("<svg") == 2


def test_words_from_outside_are_nothing_but_words(form: RelocationPlanForm) -> None:
    touched = deepcopy(form)
    touched["things"][0]["title"] = "<script>alert(1)</script> | `x`"
    assert "<script>" not in page(touched)
    assert "<script>" not in text(touched)
    assert "\\| \\`x\\`" in text(touched)


def test_leaving_a_bucket_out_is_cheaper(kit: Kit) -> None:
    every = read_measured(EXAMPLE / "measured.yaml")
    less = every.model_copy(update={"leave_out": ("bucket/cold-data",)})
    dear, cheap = kit.plan(kit.google, every), kit.plan(kit.google, less)
    saving = next(each for each in cheap.savings if each.thing.key == "bucket/cold-data")
    assert saving.usd is not None
    assert saving.usd.expected > 3000
    assert dear.bill.bill.usd_per_month.expected > cheap.bill.bill.usd_per_month.expected + 3000


def test_a_bucket_that_is_counted_with_another_is_not_counted_twice(kit: Kit) -> None:
    names = [each.name for each in kit.plan(kit.west).volumes]
    assert "bucket/cold-data" in names
    assert "bucket/cold-artifacts" not in names
    assert "names/services" not in names


def test_large_things_are_sampled_and_all_others_read_whole(kit: Kit) -> None:
    shares = {each.name: each.verified_share for each in kit.plan(kit.west).volumes}
    assert shares["bucket/cold-data"] == Decimal("0.05")
    assert shares["store/mlflow"] == 1


def test_the_shorter_of_two_files_says_nothing_of_the_rest() -> None:
    assert MeasuredFile().terms.rounds == 3
    assert MeasuredFile().rates.bandwidth is None


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (5400, "1.5 hours"), (86400, "1 day")],
)
def test_durations_read_as_people_say_them(seconds: int, said: str) -> None:
    assert duration(Decimal(seconds)) == said


def test_spans_sizes_and_amounts_say_what_is_not_known() -> None:
    floor = DurationEstimate(seconds=Range.exactly(120), basis="x", at_least=True)
    assert span_text(floor) == "at least 2 minutes"
    assert (
        span_text(DurationEstimate(seconds=Range(Decimal(0), Decimal(60), Decimal(60)), basis="x")) == "up to 1 minute"
    )
    assert (
        span_text(DurationEstimate(seconds=Range(Decimal(60), Decimal(60), Decimal(120)), basis="x"))
        == "1 minute to 2 minutes"
    )
    some = DurationEstimate(seconds=Range(Decimal(0), Decimal(60), Decimal(5040)), basis="x", at_least=True)
    assert span_text(some) == "up to 1.4 hours for what is known, and more"
    assert span_text(DurationEstimate(seconds=Range.exactly(0), basis="x", at_least=True)) == "at least 0 seconds"
    assert span_text(DurationEstimate.unknown("x")) == "not known yet"
    assert size_text(None) == "-"
    assert size_text(Range.exactly(5 * 10**12)) == "5 TB"
    assert size_text(Range(Decimal(0), Decimal(10**10), Decimal(10**10))) == "up to 10 GB"
    assert amount(Range.exactly(3), unpriced=2) == ">= 3.00 USD, 2 lines without a price"
    assert amount(Range.exactly(3), unpriced=1) == ">= 3.00 USD, 1 line without a price"
    assert format_names([str(at) for at in range(8)]) == "0, 1, 2, 3, 4, 5 and 2 more"
