"""CONTRIBUTING.md names the files that a newcomer opens: they exist, their number is right, and they are enough."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?P<subject>an? [^|]+) \| (?P<opened>\d+: [^|]+) \| (?P<written>\d+: [^|]+) \|$", re.MULTILINE)
CELL = re.compile(r"(?P<count>\d+): (?P<paths>.+)")
COPIED = (
    "catalogs", "planning", "components", "policies", "operations", "cli", "stacks", "tests", "docs", "pyproject.toml",
)  # fmt: skip
SUBJECTS = {
    "a machine type", "a rule", "a command", "a platform component",
    "a price", "a checklist field", "a cloud to quote",
}  # fmt: skip


class Recipe(NamedTuple):
    """A row of the table: paths opened by hand, paths written by a command."""

    opened: list[str]
    written: list[str]


def paths_in(cell: str) -> list[str]:
    """The paths of a cell, whose number they have."""
    found = CELL.fullmatch(cell.strip())
    assert found is not None, cell
    paths = re.findall(r"`([^`]+)`", found["paths"])
    assert len(paths) == int(found["count"]), cell
    return paths


@cache
def recipes() -> Mapping[str, Recipe]:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    return {row["subject"]: Recipe(paths_in(row["opened"]), paths_in(row["written"])) for row in ROW.finditer(text)}


def test_every_kind_of_addition_has_a_row() -> None:
    assert recipes().keys() == SUBJECTS


@pytest.mark.parametrize("subject", sorted(SUBJECTS))
def test_every_named_file_exists(subject: str) -> None:
    recipe = recipes()[subject]
    paths = [*recipe.opened, *recipe.written]
    assert len(paths) == len(set(paths))
    assert [path for path in paths if not any(ROOT.glob(re.sub(r"<\w+>", "*", path)))] == []


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) >= 1, f"{path} holds no {old!r}"
    path.write_text(text.replace(old, new, 1))


GREETING = '''"""A greeting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.platform.building_blocks.context import component

if TYPE_CHECKING:
    from components.platform.building_blocks.context import PlatformResource


@component("greeting", "atoll:platform:Greeting")
def build(own: PlatformResource) -> None:
    """Registers nothing."""
'''


def add_component(tree: Path) -> None:
    (tree / "components/platform/observability/greeting.py").write_text(GREETING)
    registry = tree / "components/platform/installation.py"
    change(registry, "\nBUILDERS:", "\nfrom components.platform.observability import greeting\n\nBUILDERS:")
    change(registry, "Builder]] = {", 'Builder]] = {\n    "greeting": greeting.build,')
    row = "greeting,a greeting,objects,,,0,,,,Apache-2.0,full,0,0,0,namespaces,,,,,,,"
    change(tree / "catalogs/software/parts.csv", "\nopencost,", f"\n{row}\nopencost,")
    change(tree / "catalogs/stateful_assets.yaml", "  opencost:", "  greeting: {reason: keeps nothing}\n  opencost:")
    census = tree / "tests/components/program/test_program_census.py"
    change(census, '    "atoll:platform:Istio",', '    "atoll:platform:Greeting",\n    "atoll:platform:Istio",')
    write_pages(tree, {"catalogs.reference_pages.software": "docs/reference/software.md"})


def add_cloud(tree: Path) -> None:
    catalogs = tree / "catalogs"
    columns = (catalogs / "providers.csv").read_text().splitlines()[0].count(",")
    provider = "cirrus,Cirrus,micro_cloud,,single machines,none,none,plain virtual machines,cirrus-page"
    append(catalogs / "providers.csv", provider + "," * (columns - provider.count(",")))
    append(catalogs / "regions.csv", "cirrus,any,unknown,unknown,,cirrus-page")
    append(catalogs / "sources.csv", "cirrus-page,Price page,https://cirrus.example/prices,2026-09-20,list,")
    row = "cirrus,h100-8,H100-SXM-80GB,8,192,1800,,,ethernet,0,false,false,x86_64,cirrus-page,2026-09-20"
    price = "cirrus,h100-8,any,on_demand,hour,80,0,cirrus-page,"
    (catalogs / "cirrus").mkdir()
    for file, line in (("machines.csv", row), ("prices.csv", price)):
        header = (catalogs / "paperspace" / file).read_text().splitlines()[0]
        (catalogs / "cirrus" / file).write_text(f"{header}\n{line}\n")
    words = tree / "planning/checklist/model/vocabulary.py"
    change(words, "    PAPERSPACE =", '    CIRRUS = "cirrus"\n    PAPERSPACE =')
    pages = {
        "catalogs.validation": "",
        "catalogs.reference_pages.sources": "docs/reference/sources.md",
        "planning.checklist.reference.page": "docs/reference/checklist.md",
        "planning.checklist.reference.schema": "stacks/checklist.schema.json",
    }
    write_pages(tree, pages)


def append(path: Path, line: str) -> None:
    path.write_text(f"{path.read_text()}{line}\n")


def write_pages(tree: Path, pages: Mapping[str, str]) -> None:
    """Run modules that print a page, or write their file themselves."""
    for module, page in pages.items():
        text = run([sys.executable, "-m", module], tree, check=True).stdout
        if page:
            (tree / page).write_text(text)


def run(command: Sequence[str], tree: Path, *, check: bool) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=check)


class Sample(NamedTuple):
    """An addition by its recipe, the names that fill the brackets, and the tests that tell what is missing."""

    subject: str
    names: Mapping[str, str]
    add: Callable[[Path], None]
    census: Sequence[str]


PROGRAM = "tests/components/program"
SAMPLES: Mapping[str, Sample] = {
    "component": Sample(
        subject="a platform component",
        names={"area": "observability", "component": "greeting"},
        add=add_component,
        census=(
            f"{PROGRAM}/test_platform_compose.py::test_every_part_of_the_catalog_has_a_builder_and_every_builder_a_part",
            f"{PROGRAM}/test_program_census.py::test_every_component_type_in_the_code_is_listed_here",
            "tests/planning/relocation_plan/test_relocation_inventory.py",
            "tests/house/test_reference_pages.py",
        ),
    ),
    "cloud": Sample(
        subject="a cloud to quote",
        names={"provider": "cirrus"},
        add=add_cloud,
        census=(
            "tests/catalogs/rows/test_facts.py",
            "tests/planning/checklist/test_checklist_documents.py",
            "tests/house/test_house.py::test_a_provider_is_named_only_in_the_catalog_and_in_its_own_folders",
        ),
    ),
}


def files_of(sample: Sample) -> list[str]:
    recipe = recipes()[sample.subject]
    return [
        re.sub(r"<(\w+)>", lambda found: sample.names[found[1]], path) for path in (*recipe.opened, *recipe.written)
    ]


def files_below(tree: Path) -> dict[str, bytes]:
    paths = (path for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(tree)): path.read_bytes() for path in paths}


class Grown(NamedTuple):
    """A copy of the tree with the addition, and the files as they were before it."""

    sample: Sample
    tree: Path
    before: Mapping[str, bytes]


@pytest.fixture(scope="module", params=sorted(SAMPLES))
def grown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grown]:
    sample, tree = SAMPLES[request.param], tmp_path_factory.mktemp(request.param)
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    before = files_below(tree)
    sample.add(tree)
    yield Grown(sample, tree, before)
    shutil.rmtree(tree)


def take_census(grown: Grown) -> subprocess.CompletedProcess[str]:
    return run(
        [sys.executable, "-m", "pytest", "-x", "-p", "no:randomly", *grown.sample.census], grown.tree, check=False
    )


@pytest.mark.long
def test_the_files_of_a_recipe_are_those_that_change_and_pass(grown: Grown) -> None:
    after = files_below(grown.tree)
    changed = {path for path, content in after.items() if grown.before.get(path) != content}
    assert changed == set(files_of(grown.sample))
    census = take_census(grown)
    assert census.returncode == 0, census.stdout


@pytest.mark.long
def test_a_file_of_a_recipe_that_is_left_out_is_missed(grown: Grown) -> None:
    unnoticed: list[str] = []
    for name in files_of(grown.sample):
        path = grown.tree / name
        content = path.read_bytes()
        if name in grown.before:
            path.write_bytes(grown.before[name])
        else:
            path.unlink()
        if take_census(grown).returncode == 0:
            unnoticed.append(name)
        path.write_bytes(content)
    assert unnoticed == []
