"""The schema and the reference page that are committed are those of the model, and the examples follow them."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from planning.checklist.model.field_descriptions import meanings
from planning.checklist.model.structure import kind_of, sections
from planning.checklist.reading.checklist_file import read, read_file
from planning.checklist.reference import page, schema
from planning.checklist.reference.page import EXAMPLES

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "stacks" / "checklist.schema.json"
PAGE = ROOT / "docs" / "reference" / "checklist.md"
STACKS = sorted(path.parent.name for path in (ROOT / "stacks").glob("*/checklist.yaml"))
EIGHT = {
    "demo",
    "existing-lambda",
    "finetune-70b",
    "inference-247",
    "notebooks-eight",
    "pretrain-7b",
    "rl-cpu",
    "vision-tiny-files",
}


def test_the_committed_schema_is_the_models() -> None:
    assert SCHEMA.read_text() == schema.text(), (
        "run: .venv/bin/python -m planning.checklist.reference.schema > stacks/checklist.schema.json"
    )


def test_the_committed_page_is_the_models() -> None:
    assert PAGE.read_text() == page.text(), (
        "run: .venv/bin/python -m planning.checklist.reference.page > docs/reference/checklist.md"
    )


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema.document())


def test_every_section_of_the_schema_knows_no_field_but_its_own() -> None:
    objects = [part for part in schema.document()["$defs"].values() if part["type"] == "object"]
    assert {part["additionalProperties"] for part in objects} == {False}
    assert {model.model_config.get("extra") for _, model in sections()} == {"forbid"}


def test_every_field_says_what_it_is_for() -> None:
    silent = [
        f"{path}.{name}" for path, model in sections() for name in model.model_fields if name not in meanings(model)
    ]
    assert silent == []


def test_every_example_of_the_page_belongs_to_a_field() -> None:
    fields = set()
    for path, model in sections():
        kind = kind_of(model)
        bare = path.replace(f"[{kind}]", "[]") if kind else path
        for other in ("training", "fine_tuning", "inference", "notebooks", "batch"):
            bare = bare.replace(f"[{other}]", "[]")
        for several in (
            "access.users",
            *(f"agreement.{each}" for each in ("steps", "credits", "tier_speeds", "responses", "contacts")),
        ):
            bare = bare.replace(several, f"{several}[]")
        fields |= {f"{bare}.{name}".removeprefix(".") for name in model.model_fields}
    assert set(EXAMPLES) - fields == set()


def test_the_eight_examples_are_there() -> None:
    assert set(STACKS) >= EIGHT


@pytest.mark.parametrize("stack", STACKS)
def test_an_example_reads_without_a_fault(stack: str) -> None:
    assert read_file(ROOT / "stacks" / stack / "checklist.yaml").workloads


@pytest.mark.parametrize("stack", STACKS)
def test_an_example_follows_the_schema_and_names_it(stack: str) -> None:
    text = (ROOT / "stacks" / stack / "checklist.yaml").read_text()
    assert text.startswith("# yaml-language-server: $schema=../checklist.schema.json\n")
    jsonschema.Draft202012Validator(schema.document()).validate(yaml.safe_load(text))


@pytest.mark.parametrize("stack", STACKS)
def test_an_example_is_the_same_after_being_written_and_read_again(stack: str) -> None:
    asked = read_file(ROOT / "stacks" / stack / "checklist.yaml")
    again = read(asked.model_dump_json(exclude_none=True), file="again.json")
    assert again == asked


@pytest.mark.parametrize("stack", STACKS)
def test_an_example_has_a_ceiling(stack: str) -> None:
    assert read_file(ROOT / "stacks" / stack / "checklist.yaml").ceiling.usd_per_month
