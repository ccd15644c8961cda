"""Broken checklists and every word that is said about them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from planning.checklist.reading.checklist_file import read
from planning.inputs import yaml_nodes
from planning.values.errors import InputError

FAULTS = Path(__file__).parent / "faults"
CASES = sorted(path.stem for path in FAULTS.glob("*.yaml"))
UPDATE = "ATOLL_UPDATE=1 .venv/bin/pytest tests/planning/checklist/test_checklist_faults.py"
JARGON = ("pydantic", "Input", "tag", "union", "discriminator", "dict", "tuple", "NoneType", "object at", "Decimal")


def said(error: InputError) -> str:
    lines = [str(error)]
    for fault in error.faults:
        lines += [
            f"{fault.line}:{fault.column}: {fault.message}" + (f"  ({fault.path})" if fault.path else ""),
            f"    {fault.source_line}",
            f"    {' ' * (fault.column - 1)}^",
            f"    hint: {fault.hint}",
        ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("case", CASES)
def test_every_fault_is_said_with_its_place_and_a_hint(case: str) -> None:
    with pytest.raises(InputError) as caught:
        read((FAULTS / f"{case}.yaml").read_text(), file=f"{case}.yaml")
    expected = FAULTS / f"{case}.txt"
    if os.environ.get("ATOLL_UPDATE"):
        expected.write_text(said(caught.value))
    assert said(caught.value) == expected.read_text(), f"if this is better, run: {UPDATE}"


@pytest.mark.parametrize("case", CASES)
def test_no_fault_speaks_the_validators_language(case: str) -> None:
    words = (FAULTS / f"{case}.txt").read_text()
    ours = "\n".join(line for line in words.splitlines() if not line.startswith("     "))
    assert [word for word in JARGON if word in ours.replace("tags are not used", "")] == []


def test_five_faults_on_five_lines() -> None:
    with pytest.raises(InputError) as caught:
        read((FAULTS / "five.yaml").read_text(), file="five.yaml")
    assert [fault.line for fault in caught.value.faults] == [2, 7, 9, 10, 12]


@pytest.mark.parametrize("case", CASES)
def test_without_the_c_library_the_same_lines_are_named(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FAULTS / f"{case}.yaml").read_text()
    places: list[list[int]] = []
    for loader in (yaml_nodes.LOADER, yaml.SafeLoader):
        monkeypatch.setattr(yaml_nodes, "LOADER", loader)
        with pytest.raises(InputError) as caught:
            read(text, file=f"{case}.yaml")
        places.append([fault.line for fault in caught.value.faults])
    assert places[0] == places[1]
