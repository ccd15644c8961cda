"""The guide of relocations says what the code knows: its relocation.yaml is taken, its tables are the model's."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from operations.relocation.config import manual_confirmations
from operations.relocation.config.endpoints import Places
from operations.relocation.config.reader import parse
from operations.relocation.config.rules import pair_databases, variables
from planning.checklist.model.structure import inner_models
from planning.relocation.steps import POINT_OF_NO_RETURN, STEPS
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from planning.relocation.steps import StepFacts

GUIDE = (Path(__file__).parents[3] / "docs/guides/relocate.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
EXAMPLE = next(each for each in BLOCKS if "\ntarget:" in each)
MOVERS = next(each for each in BLOCKS if each.startswith("movers:"))
FIELDS = GUIDE[GUIDE.index("| `source.stack`") :].split("\n\n", maxsplit=1)[0]
ROW = re.compile(r"^\| (.*?) \|", re.MULTILINE)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Every variable that the example names, and its files, in a folder of the test's own."""
    for name in re.findall(r"authority: (\S+)", EXAMPLE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("an authority\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return dict.fromkeys(re.findall(r"\b(?:SOURCE|TARGET)_[A-Z_]+\b", EXAMPLE), "set")


def test_the_example_is_taken_as_it_stands(environment: dict[str, str]) -> None:
    places = parse(EXAMPLE, file="relocation.yaml", environment=environment).places
    assert (places.source.stack, places.target.stack) == ("demo", "demo-west")
    assert set(variables(places).values()) == set(environment)


def test_the_example_pairs_every_database_with_its_like(environment: dict[str, str]) -> None:
    places = parse(EXAMPLE, file="relocation.yaml", environment=environment).places
    named = [(here.uri_env, there.uri_env) for here, there in pair_databases(places)]
    assert len(named) == len(places.source.databases) == len(places.target.databases)
    assert all(there == here.replace("SOURCE", "TARGET") for here, there in named)


def test_the_example_is_refused_where_a_variable_is_not_set(environment: dict[str, str]) -> None:
    with pytest.raises(InputError) as refused:
        parse(EXAMPLE, file="relocation.yaml", environment={**environment, "SOURCE_CANARY_SECRET": ""})
    assert [each.message for each in refused.value.faults] == ["SOURCE_CANARY_SECRET is not set"]


def fields(model: type[BaseModel], path: str = "") -> Iterator[str]:
    """Every field that can be written, those of the source for both sides."""
    for name, field in model.model_fields.items():
        inner = inner_models(field.annotation)
        if not inner:
            yield path + name
        elif name != "target":
            yield from fields(inner[0], f"{path}{name}.")


def told(text: str) -> list[str]:
    """Fields that the table's first cells name, the whole path first and then what is below it."""
    found: list[str] = []
    for cell in ROW.findall(text):
        first, *rest = re.findall(r"`([a-z_.]+)`", cell)
        below = [each for each in rest if "." not in each]
        whole = [each for each in rest if "." in each or ":" not in cell]
        found += [f"{first}.{each}" for each in below] if ":" in cell else [first, *whole]
    return found


def test_every_field_is_explained() -> None:
    named = told(FIELDS)
    missing = [each for each in fields(Places) if not any(each == one or each.startswith(f"{one}.") for one in named)]
    assert missing == []


def test_no_field_is_explained_that_is_not_there() -> None:
    there = [*fields(Places), "target.stack"]
    assert [each for each in told(FIELDS) if not any(f"{one}.".startswith(f"{each}.") for one in there)] == []


def test_the_movers_of_a_cluster_are_taken_with_the_example(environment: dict[str, str]) -> None:
    text = EXAMPLE.replace("loss: large", "loss: large, mover: cluster") + MOVERS
    movers = parse(text, file="relocation.yaml", environment=environment).places.movers
    assert movers is not None
    assert movers.model_fields_set == set(type(movers).model_fields)


def test_the_marks_of_people_are_taken() -> None:
    text = next(each for each in BLOCKS if each.startswith("things:\n  volumes/notebooks:\n    who:"))
    now = datetime(2027, 1, 1, tzinfo=UTC)
    marks = manual_confirmations.parse(text, file="by-hand.yaml", known={"volumes/notebooks"}, now=now)
    assert [each.who for each in marks.confirmed.values()] == ["ada"]


def row_of(step: StepFacts) -> str:
    """As the guide's table has it."""
    name = f"`{step.name}`{' (frozen)' if step.frozen else ''}"
    back = (
        "none: the point of no return" if step.name == POINT_OF_NO_RETURN else step.way_back or "nothing to take back"
    )
    return f"| {name} | {step.proves} | {step.aborts or '-'} | {back} |"


def test_the_table_of_steps_is_that_of_the_machine() -> None:
    start = GUIDE.index("| step | what it proves |")
    rows = GUIDE[start:].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    assert rows == [row_of(each) for each in STEPS]
