"""`atoll rfq`: exactly what has no firm price is asked for, and once it is filled in the option is fully priced."""

from __future__ import annotations

import json
import os
import shutil
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from quotation_kit import DAY, answer, fill_in, read_sheet

from operations.engine.stack_warnings import reminders
from operations.project.workspace import Project
from planning.spec.lock import read_lock

if TYPE_CHECKING:
    from command_project import Atoll

EXAMPLES: Final = Path(__file__).parents[3] / "stacks"
DOCS: Final = EXAMPLES.parent / "docs/examples/quotation"
LAMBDA: Final = "existing-lambda"
MADE_UP: Final = {"source": "example, made up"}
CONTRACT: Final = "contract:\n  months: 12\n  reserve: all\n\nceiling:"
# Stack, provider, and whether a contract of a year is asked for.
ASKED: Final = (
    (LAMBDA, "lambda", False),
    ("coreweave-pretrain", "coreweave", False),
    ("coreweave-pretrain", "coreweave", True),
    ("coreweave-pretrain", "nebius", True),
    ("demo", "nebius", False),
    ("gcp-train", "gcp", False),
)


@pytest.fixture
def example(project: Path, request: pytest.FixtureRequest) -> tuple[str, str]:
    """A copy of an example in the project, and who is asked."""
    name, provider, has_contract = request.param
    return write_example(project, name, has_contract=has_contract, provider=provider), provider


def write_example(project: Path, name: str, *, has_contract: bool = False, provider: str = "") -> str:
    text = (EXAMPLES / name / "checklist.yaml").read_text("utf-8")
    if provider == "nebius":
        text = text.replace("wanted: [coreweave]", "wanted: [nebius]")
    if has_contract:
        text = text.replace("\nceiling:", f"\n{CONTRACT}")
    path = project / "stacks" / name / "checklist.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return name


def lines_of(atoll: Atoll, stack: str, option: str, *more: str, today: str = DAY) -> list[dict[str, Any]]:
    found = atoll("quote", stack, "--option", option, "--today", today, "--json", *more)
    return json.loads(found.out)["bill"]["lines"]


def open_items(lines: list[dict[str, Any]]) -> set[str]:
    return {line["item"] for line in lines if line["state"] in ("unpriced", "estimated")}


@pytest.mark.parametrize("example", ASKED, indirect=True)
def test_what_is_asked_for_is_what_has_no_firm_price_and_filled_in_it_has_one(
    project: Path, atoll: Atoll, example: tuple[str, str]
) -> None:
    stack, provider = example
    outcome = atoll("rfq", stack, "--provider", provider, "--out", "asked", "--today", DAY)
    assert outcome.code == 0, outcome.err
    option = outcome.out.partition(":")[0]
    sheet = project / "asked" / f"rfq-{stack}.csv"
    rows = read_sheet(sheet)
    before = lines_of(atoll, stack, option, "--provider", provider)
    firm = {row["item"] for row in rows if row["reason"] in ("no price known", "only an estimate known")}
    assert firm == open_items(before)
    assert {row["provider"] for row in rows} == {provider}
    assert len({(row["item"], row["region"], row["purchase"]) for row in rows}) == len(rows)
    fill_in(sheet, project / "filled.csv", delimiter=";")
    after = lines_of(atoll, stack, option, "--provider", provider, "--price-book", "filled.csv")
    assert open_items(after) == set()
    again = atoll(
        "rfq", stack, "--option", option, "--provider", provider, "--price-book", "filled.csv", "--today", DAY
    )
    assert "there is nothing to ask for" in again.out
    mine = [line for line in after if line["source"].startswith("book:filled:")]
    assert mine
    assert all(line["as_of"] == DAY or " USD, -35% (book:filled:" in line["note"] for line in mine)


def test_the_lambda_example_is_fully_priced_and_accepted_with_its_quotation(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, LAMBDA)
    assert atoll("quote", stack, "--today", DAY).code == 11
    assert atoll("rfq", stack, "-o", "asked", "--today", DAY).code == 0
    fill_in(project / "asked" / f"rfq-{stack}.csv", project / "lambda-4711.csv")
    quoted = atoll("quote", stack, "--price-book", "lambda-4711.csv", "--today", DAY)
    assert (quoted.code, quoted.err) == (0, "")
    accepted = atoll("accept", stack, "recommended", "--price-book", "lambda-4711.csv", "--today", DAY)
    assert accepted.code == 0, accepted.err
    bill = json.loads((project / "stacks" / stack / "quote.lock.json").read_text("utf-8"))["bill"]
    assert [line["key"] for line in bill if line["state"] in ("unpriced", "estimated")] == []
    assert {line["as_of"] for line in bill if line["source"].startswith("book:lambda-4711:")} == {DAY}
    assert "there is nothing to ask for" in atoll("rfq", stack, "--today", DAY).out
    there, day = Project(project), date.fromisoformat(DAY)
    lock = read_lock(there.lock(stack))
    assert list(reminders(there, lock, today=day, own="lambda-4711.csv")) == []
    assert list(reminders(there, lock, today=day)) == [
        "the lock rests on price book lambda-4711, and no --price-book is named"
    ]


def test_the_example_in_the_docs_is_what_the_commands_write(project: Path, atoll: Atoll) -> None:
    stack, name = write_example(project, LAMBDA), f"rfq-{LAMBDA}"
    atoll("rfq", stack, "-o", "asked", "--today", DAY)
    fill_in(project / "asked" / f"{name}.csv", project / "lambda-answer.csv", lambda row: {**answer(row), **MADE_UP})
    found = {
        f"{name}.md": (project / "asked" / f"{name}.md").read_text("utf-8"),
        f"{name}.csv": (project / "asked" / f"{name}.csv").read_text("utf-8"),
        "lambda-answer.csv": (project / "lambda-answer.csv").read_text("utf-8-sig"),
        "quote.txt": atoll("quote", stack, "--price-book", "lambda-answer.csv", "--today", DAY).out,
    }
    for file, text in found.items():
        path = DOCS / file
        if os.environ.get("ATOLL_UPDATE_GOLDENS") == "1":
            path.write_text(text, "utf-8")
        assert path.read_text("utf-8") == text, f"{file}: ATOLL_UPDATE_GOLDENS=1 writes it anew"


def test_each_provider_of_an_option_gets_a_request_that_names_no_other(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, "spanning-two")
    later = "2027-03-01"  # prices of both are old by then
    assert atoll("rfq", stack, "-o", "asked", "--today", later).code == 0
    pages = sorted((project / "asked").glob("*.md"))
    names = [path.stem.removeprefix(f"rfq-{stack}-") for path in pages]
    assert len(names) > 1
    for path, name in zip(pages, names, strict=True):
        others = {each for each in names if each != name}
        assert not [each for each in others if each in path.read_text("utf-8").replace("aws-", "")], name
        assert {row["provider"] for row in read_sheet(path.with_suffix(".csv"))} == {name}
    texts = []
    for path in pages:
        fill_in(path.with_suffix(".csv"), project / path.with_suffix(".csv").name)
        texts.append((project / path.with_suffix(".csv").name).read_text("utf-8"))
    (project / "all.csv").write_text("".join(texts), "utf-8")
    option = atoll("rfq", stack, "-o", "again", "--today", later).out.partition(":")[0]
    lines = lines_of(atoll, stack, option, "--price-book", "all.csv", "--allow-stale", today=later)
    assert open_items(lines) == set()


def test_the_discount_of_a_term_makes_an_option_of_that_term(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, "coreweave-pretrain", has_contract=True)
    atoll("rfq", stack, "-o", "asked", "--today", DAY)
    sheet = project / "asked" / f"rfq-{stack}.csv"
    asked = [row for row in read_sheet(sheet) if row["purchase"] == "reserved"]
    assert [(row["months"], row["min"] == row["max"], row["unit"]) for row in asked] == [("12", True, "hour")]
    fill_in(sheet, project / "filled.csv")
    quoted = json.loads(atoll("quote", stack, "--price-book", "filled.csv", "--today", DAY, "--json").out)
    reserved = [option for option in quoted["options"] if option["id"].endswith("-reserved")]
    notes = [
        line["note"] for option in reserved for line in option["bill"]["lines"] if line["item"] == asked[0]["item"]
    ]
    assert notes
    assert all("-35% (book:filled:" in note and "list " in note for note in notes)


def test_rows_that_nobody_filled_in_are_told_and_stay_unpriced(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, LAMBDA)
    atoll("rfq", stack, "-o", "asked", "--today", DAY)
    sheet = f"asked/rfq-{stack}.csv"
    quoted = atoll("quote", stack, "--price-book", sheet, "--today", DAY)
    assert quoted.code == 11
    told = [line for line in quoted.err.splitlines() if "no price is filled in: " in line]
    assert len(told) == len(read_sheet(project / sheet))


def test_a_lock_is_what_is_asked_about_and_an_option_or_another_provider_goes_before_it(
    project: Path, atoll: Atoll
) -> None:
    stack = write_example(project, "demo")
    assert atoll("accept", stack, "micro_cloud", "--today", DAY).code == 0
    lock = json.loads((project / "stacks" / stack / "quote.lock.json").read_text("utf-8"))
    own = lock["placements"][0]["placement"]["provider"]
    page = atoll("rfq", stack, "--today", DAY).out
    assert lock["option"] in page
    assert page == atoll("rfq", stack, "--provider", own, "--today", DAY).out
    for other in (("--provider", "gcp"), ("--option", "cheapest"), ("--region", "us-east-1")):
        named = atoll("rfq", stack, *other, "--today", DAY)
        assert (named.code, lock["option"] in named.out) == (0, False), named.err


def test_the_page_tells_a_provider_nothing_of_the_ceiling_or_of_estimates(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, LAMBDA)
    page = atoll("rfq", stack, "--today", DAY).out
    assert page.startswith("# Request for quotation\n")
    assert "80,000" not in page
    assert "ceiling" not in page
    atoll("rfq", stack, "-o", "asked", "--today", DAY)
    assert (project / "asked" / f"rfq-{stack}.md").read_text("utf-8") == page
    html = (project / "asked" / f"rfq-{stack}.html").read_text("utf-8")
    assert "<h1>Request for quotation</h1>" in html
    assert "http" not in html.partition("</style>")[2].partition("Where the figures")[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--provider", "lamda"), 'did you mean "lambda"?'),
        (("--option", "cheapst"), 'did you mean "cheapest"?'),
        (("--out", "a", "-o", "b"), "it is the same as --output"),
        (("-o", "Pulumi.yaml"), "is a file, not a folder"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(
    project: Path, atoll: Atoll, arguments: tuple[str, ...], words: str
) -> None:
    stack = write_example(project, LAMBDA)
    outcome = atoll("rfq", stack, *arguments, "--today", DAY)
    assert outcome.code in (1, 2)
    assert words in outcome.err
    assert not (project / "a").exists()


def test_a_broken_answer_is_refused_whole_with_every_fault_and_its_place(project: Path, atoll: Atoll) -> None:
    stack = write_example(project, LAMBDA)
    atoll("rfq", stack, "-o", "asked", "--today", DAY)
    broken = iter(({"usd": "=A1"}, {"usd": "1,234.00"}, {"unit": "quarter"}, {"as_of": "09.11.2026"}))
    fill_in(
        project / "asked" / f"rfq-{stack}.csv",
        project / "filled.csv",
        lambda row: {**answer(row), **next(broken, {})},
    )
    outcome = atoll("quote", stack, "--price-book", "filled.csv", "--today", DAY)
    assert outcome.code == 1
    places = [line for line in outcome.err.splitlines() if line.startswith("filled.csv:")]
    assert [line.split(":")[1] for line in places] == ["2", "3", "4", "5"]
    assert outcome.err.count("^") == 4
    assert outcome.err.count("hint: ") == 4
    assert outcome.err.endswith("error: filled.csv: 4 faults\n")


def test_a_checklist_outside_a_project_can_be_asked_about(
    project: Path, atoll: Atoll, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")
    shutil.copy(EXAMPLES / LAMBDA / "checklist.yaml", folder / "tern.yaml")
    outcome = atoll("rfq", str(folder / "tern.yaml"), "-o", str(folder / "asked"), "--today", DAY)
    assert outcome.code == 0
    assert sorted(path.name for path in (folder / "asked").iterdir()) == [
        "rfq-tern.csv",
        "rfq-tern.html",
        "rfq-tern.md",
    ]
    assert project.is_dir()
