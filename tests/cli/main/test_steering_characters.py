"""Words with ESC, changes of direction and characters without a width, through every door: none leaves as it came."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from command_project import CHECKLIST, Atoll, write_checklist

from cli.pages.charts.axes import element, escape_text
from cli.terminal.errors import render_error
from planning.checklist.reading.checklist_file import read
from planning.values.errors import InputError
from planning.values.printable import printable, printable_json, printable_line

TURNING = "\u202e\u200b\u2066\ufeff\u00ad"  # what a text may have, and what is never shown as it is
MARKER = "a\x1b[31mb\x07c\x1b]8;;http://x\x1b\\d\u202ee\u200bf\u009b2Jg\u2066h\ufeffi\rj\x00k\u2028l\U000e0041m"
STACKS = Path(__file__).parents[3] / "stacks"
AGREEMENT = """\
agreement:
  starts: "2027-01-04"
"""
STEERING = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def steering(text: str) -> list[str]:
    """Characters of a finished text that do something instead of being seen."""
    return sorted({each for each in text if each != "\n" and unicodedata.category(each) in STEERING})


def test_what_steers_is_replaced_and_all_else_stays() -> None:
    assert steering(printable(MARKER)) == []
    assert (
        printable("Zürich 東京 naïve\u00a0x 12\u202f000 · → …\n\tå") == "Zürich 東京 naïve\u00a0x 12\u202f000 · → …\n å"
    )
    assert printable_line("a\nb") == "a\N{REPLACEMENT CHARACTER}b"
    text = json.dumps({MARKER: [MARKER, "é"]}, ensure_ascii=False)
    assert steering(printable_json(text)) == []
    assert json.loads(printable_json(text)) == {MARKER: [MARKER, "é"]}
    assert steering(escape_text(MARKER) + element("p", title=MARKER)) == []


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of every text in a document."""
    if isinstance(value, dict):
        for key, part in cast("dict[str, object]", value).items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(cast("list[object]", value)):
            yield from leaves(part, (*path, index))
    elif isinstance(value, str):
        yield path


def changed(document: Any, path: tuple[str | int, ...]) -> Any:
    whole = deepcopy(document)
    inner = whole
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] += TURNING
    return whole


def as_yaml(document: object) -> str:
    """YAML whose strings are written with escapes, which the reader turns into the characters."""
    return yaml.safe_dump(document, allow_unicode=False)


def marked(text: str) -> str:
    """A checklist with the marker in every text that takes it."""
    document = yaml.safe_load(text)
    refusals: list[str] = []
    for path in list(leaves(document)):
        wanted = changed(document, path)
        try:
            read(as_yaml(wanted), file="checklist.yaml")
        except InputError as error:
            refusals.append(render_error(error)[0])
        else:
            document = wanted
    assert steering("".join(refusals)) == []
    return as_yaml(document)


@pytest.mark.parametrize("example", ["demo", "finetune-70b", "inference-247"])
def test_every_text_of_a_checklist(example: str, project: Path, atoll: Atoll) -> None:
    text = marked((STACKS / example / "checklist.yaml").read_text(encoding="utf-8"))
    assert r"\u202E\u200B" in text
    write_checklist(project, "demo", text)
    for command in (
        ("check", "demo"),
        ("explain", "demo"),
        ("quote", "demo", "--allow-stale", "--html", "q.html", "--markdown", "q.md"),
        ("quote", "demo", "--allow-stale", "--json"),
    ):
        outcome = atoll(*command)
        assert outcome.code in {0, 10, 11}, outcome.err
        assert steering(outcome.out + outcome.err) == [], command
    for page in project.glob("q.*"):
        assert steering(page.read_text(encoding="utf-8")) == []


def test_an_escape_in_quotes_is_refused_with_its_line() -> None:
    for escape in (r"\e", r"\x07", r"\u009b", r"\0", r"\x7f"):
        with pytest.raises(InputError) as refused:
            read(CHECKLIST.replace("ops@acme.example", f'"ops{escape}@acme.example"'), file="checklist.yaml")
        assert [(each.line, each.message[-11:]) for each in refused.value.faults] == [(3, "is not text")]


def test_what_is_signed_and_handed_over(project: Path, atoll: Atoll) -> None:
    write_checklist(project, "demo", marked(CHECKLIST + AGREEMENT))
    options = json.loads(atoll("quote", "demo", "--allow-stale", "--json").out)["options"]
    assert atoll("accept", "demo", options[0]["id"], "--allow-stale").code == 0
    for command in (
        ("contract", "demo"),
        ("contract", "demo", "--html", "c.html", "--markdown", "c.md"),
        ("onboard", "demo"),
        ("onboard", "demo", "--to", "o"),
    ):
        outcome = atoll(*command)
        assert outcome.code == 0, outcome.err
        assert steering(outcome.out + outcome.err) == [], command
    pages = [project / "c.html", project / "c.md", *(project / "o").iterdir()]
    assert len(pages) >= 4
    for page in pages:
        assert steering(page.read_text(encoding="utf-8")) == [], page


def test_names_of_resources_and_files(project: Path, atoll: Atoll) -> None:
    urn = f"urn:pulumi:prod::atoll::aws:ec2/instance:Instance::web{MARKER}"
    row = {"urn": urn, "type": "aws:ec2/instance:Instance", "inputs": {"instanceType": f"m5{MARKER}", MARKER: MARKER}}
    strange = {"urn": f"{urn}2", "type": f"aws:{MARKER}:Thing", "inputs": {}}
    state = project / "state\x1b[2J\u202e.json"
    state.write_text(json.dumps({"deployment": {"resources": [row, strange]}}))
    for words_of in (("price", str(state)), ("price", str(state), "--json"), ("price", f"{state}\n.none")):
        outcome = atoll(*words_of)
        assert steering(outcome.out + outcome.err) == [], words_of
    state.write_text(json.dumps({"deployment": {"resources": [{MARKER: MARKER}]}, MARKER: 1}))
    assert steering(atoll("price", str(state)).err) == []


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("own.csv", f"provider,item\naws,{MARKER}\n", ("quote", "demo", "--price-book", "own.csv")),
        ("bill.csv", f"{MARKER},b\n1,2\n", ("usage", "import", "demo", "bill.csv")),
        ("bill.csv", f"ChargePeriodStart,ConsumedQuantity,x_UsageType\n{MARKER},{MARKER},{MARKER}\n",
         ("usage", "import", "demo", "bill.csv", "--all-rows")),
        ("a.json", json.dumps({"a": MARKER, MARKER: 1}), ("price", "a.json")),
        ("stacks/policies.yaml", json.dumps({"rules": {MARKER: {}}, MARKER: 1}), ("rules",)),
        ("stacks/policies.yaml", json.dumps({"exemptions": [{"rule": MARKER, "reason": MARKER}]}), ("rules",)),
        ("stacks/demo/checklist.yaml", json.dumps({MARKER: MARKER}), ("check", "demo")),
        ("stacks/demo/checklist.yaml", f"a: {MARKER}", ("check", "demo")),
        ("stacks/demo/quote.lock.json", json.dumps({"schema_version": 3, "digest": MARKER}), ("contract", "demo")),
    ],
)  # fmt: skip
def test_faults_show_what_they_found(
    project: Path, atoll: Atoll, name: str, text: str, command: tuple[str, ...]
) -> None:
    (project / name).write_text(text, encoding="utf-8", newline="")
    outcome = atoll(*command)
    assert outcome.code in {1, 2}
    assert "bug in Atoll" not in outcome.err
    assert steering(outcome.out + outcome.err) == []
