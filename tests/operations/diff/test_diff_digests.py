from __future__ import annotations

import re
from pathlib import Path

import grimp
import pytest

from operations.diff.matching import digests

ROOT = Path(__file__).parents[3]
READS_PRICES = re.compile(
    r"^(from|import) (catalogs\.(?!software|commitments|providers)|planning\.(quoting|costs\.pricing))",
    re.MULTILINE,
)
TREE = {
    "README.md": "100644 a",
    "catalogs/aws/prices.csv": "100644 a",
    "components/agents/mover/transfer.py": "100644 a",
    "components/clouds/aws/builder.py": "100644 a",
    "cli/main/application.py": "100644 a",
    "policies/rules/operations/tags.py": "100644 a",
    "stacks/Pulumi.one.yaml": "100644 a",
    "stacks/__main__.py": "100644 a",
    "stacks/one/checklist.yaml": "100644 a",
    "stacks/one/quote.lock.json": "100644 a",
    "stacks/policies.yaml": "100644 a",
    "stacks/two/quote.lock.json": "100644 a",
    "stacks/two/notes/of/somebody.md": "100644 a",
}


def moved(path: str, identity: str = "100644 b") -> set[str]:
    """The stacks that a change of one file moves."""
    before, after = digests(TREE), digests({**TREE, path: identity})
    return {stack for stack in ("one", "two") if before.moves(stack) != after.moves(stack)}


@pytest.mark.parametrize(
    ("path", "stacks"),
    [
        ("README.md", set()),
        ("cli/main/application.py", set()),
        ("components/agents/mover/transfer.py", set()),
        ("operations/relocation/steps/smoke.py", set()),
        ("operations/offline/program.py", {"one", "two"}),
        ("operations/project/stack_config.py", {"one", "two"}),
        ("operations/diff/worker.py", {"one", "two"}),
        ("operations/plans/price_book.py", {"one", "two"}),
        ("driver/offline/program.py", {"one", "two"}),
        ("driver/side.py", {"one", "two"}),
        ("tests/house/test_house.py", set()),
        ("stacks/one/checklist.yaml", {"one"}),
        ("stacks/Pulumi.one.yaml", {"one"}),
        ("stacks/two/quote.lock.json", {"two"}),
        ("catalogs/aws/prices.csv", {"one", "two"}),
        ("components/clouds/aws/builder.py", {"one", "two"}),
        ("policies/rules/operations/tags.py", {"one", "two"}),
        ("stacks/policies.yaml", {"one", "two"}),
        ("stacks/software.lock.json", {"one", "two"}),
        ("stacks/__main__.py", {"one", "two"}),
        ("requirements.lock", {"one", "two"}),
    ],
)
def test_a_change_moves_the_stacks_that_hang_on_the_file(path: str, stacks: set[str]) -> None:
    assert moved(path) == stacks


def test_a_file_that_becomes_a_link_moves_its_stack() -> None:
    assert moved("stacks/one/quote.lock.json", "120000 a") == {"one"}


def test_a_checklist_alone_registers_nothing_else() -> None:
    before, after = digests(TREE), digests({**TREE, "stacks/one/checklist.yaml": "100644 b"})
    assert before.registers("one") == after.registers("one")


@pytest.mark.parametrize("path", ["catalogs/aws/prices.csv", "catalogs/books/2025-01-28/prices.csv"])
def test_prices_alone_register_nothing_else_and_are_judged_all_the_same(path: str) -> None:
    before, after = digests(TREE), digests({**TREE, path: "100644 b"})
    assert before.registers("one") == after.registers("one")
    assert before.prices != after.prices
    assert before.moves("one") != after.moves("one")


def test_the_catalog_of_software_is_what_programs_install() -> None:
    before, after = digests(TREE), digests({**TREE, "catalogs/software/parts.csv": "100644 b"})
    assert before.registers("one") != after.registers("one")


def test_no_program_reads_a_price() -> None:
    # Jobs are made by a command, which knows the catalog; of them the program takes the burn-in and shapes.
    jobs = ROOT / "components/acceptance"
    programs = [path for path in (ROOT / "components").rglob("*.py") if not path.is_relative_to(jobs)]
    programs.append(jobs / "burn_in_gate.py")
    assert {path.name for path in programs if READS_PRICES.search(path.read_text())} == set()


def test_every_module_that_answers_for_a_tree_moves_its_stacks() -> None:
    graph = grimp.build_graph("operations", exclude_type_checking_imports=True, cache_dir=None)
    asked = graph.find_upstream_modules("operations.diff.worker") | {"operations.diff.worker"}
    files = {f"{name.replace('.', '/')}.py" for name in asked}
    modules = {file for file in files if (ROOT / file).is_file()}
    assert len(modules) > 5
    assert {file for file in modules if moved(file) != {"one", "two"}} == set()


def test_rules_alone_register_nothing_else_and_move_no_price() -> None:
    before, after = digests(TREE), digests({**TREE, "policies/rules/operations/tags.py": "100644 b"})
    assert (before.program, before.prices) == (after.program, after.prices)
    assert before.judges != after.judges
