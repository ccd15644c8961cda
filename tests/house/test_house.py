"""The shape of the code, held by a machine: sizes, names, and tests that are really collected."""

from __future__ import annotations

import ast
import csv
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("catalogs", "planning", "components", "policies", "operations", "cli", "stacks")
MOST_LINES = 450
MOST_FUNCTION_LINES = 50
BANNED = {"utils", "util", "helpers", "helper", "common", "base", "manager", "handler", "data", "info", "process"}
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()  # noqa: S607 - git from the PATH


def label(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def lines_of_functions(path: Path) -> tuple[tuple[str, int], ...]:
    """Every function and class of a file by its name; a class, which may be long, with 0 lines."""
    return tuple(
        (node.name, 0 if isinstance(node, ast.ClassDef) else (node.end_lineno or 0) - node.lineno + 1)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    )


def test_files_and_functions_stay_small() -> None:
    files = {label(path): len(path.read_text().splitlines()) for path in SOURCES}
    functions = [(label(path), name, lines) for path in SOURCES for name, lines in lines_of_functions(path)]
    assert {name: lines for name, lines in files.items() if lines > MOST_LINES} == {}
    assert [each for each in functions if each[2] > MOST_FUNCTION_LINES] == []


PRODUCTS = re.compile("cert_manager")  # software that somebody else named


def banned_in(path: Path) -> set[str]:
    words = [path.stem, *(name for name, _ in lines_of_functions(path))]
    parts = {part.lower() for name in words for part in re.findall(r"[A-Z]?[a-z0-9]+", PRODUCTS.sub("", name))}
    return ({name.lower().strip("_") for name in words} & BANNED) | (parts & {"utils", "helpers", "manager"})


def test_no_banned_word_names_a_module_class_or_function() -> None:
    assert {label(path): banned for path in SOURCES if (banned := banned_in(path))} == {}


def test_every_file_with_tests_is_collected() -> None:
    strays = [
        label(path)
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and re.search(r"^def test_", path.read_text(), re.MULTILINE)
    ]
    assert strays == []


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


def test_no_test_imports_from_a_conftest() -> None:
    """There is one module of that name in a process, and which one depends on the folders that are asked for."""
    tests = (ROOT / "tests").rglob("*.py")
    assert [
        label(path) for path in tests if re.search(r"^(from|import) conftest\b", path.read_text(), re.MULTILINE)
    ] == []


@pytest.mark.skipif(not TRACKED, reason="not a git checkout")
def test_no_lock_file_names_a_download_address() -> None:
    locks = [name for name in TRACKED if re.search(r"(^|/)(requirements.*|.*\.lock|go\.sum)$", name)]
    assert locks
    assert [name for name in locks if "://" in (ROOT / name).read_text()] == []


@pytest.mark.skipif(not TRACKED, reason="not a git checkout")
def test_no_file_names_a_path_of_the_machine_it_was_written_on() -> None:
    here = f"{ROOT.parent}/"
    named = [
        name
        for name in TRACKED
        if (ROOT / name).suffix in {".py", ".md", ".yaml", ".toml", ".json", ".csv", ""} and (ROOT / name).is_file()
        if here in (ROOT / name).read_text(errors="replace")
    ]
    assert named == []


def test_the_program_is_a_table_of_contents() -> None:
    assert len((ROOT / "stacks/__main__.py").read_text().splitlines()) < 60


MOST_MODULES = 12
WIDER_FOLDERS: dict[str, int] = {}  # tables of one kind may hold 20; the others shrink


def test_folders_stay_small() -> None:
    counts = Counter(label(path.parent) for path in SOURCES if path.name != "__init__.py")
    wide = {folder: count for folder, count in counts.items() if count > MOST_MODULES}
    assert {folder: count for folder, count in wide.items() if count > WIDER_FOLDERS.get(folder, 0)} == {}
    assert {folder for folder, most in WIDER_FOLDERS.items() if wide.get(folder, 0) < most} == set(), "lower the list"


def test_a_class_name_is_defined_once_but_for_the_parallel_folders_of_clouds() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for name, lines in lines_of_functions(path):
            if lines == 0 and "/clouds/" not in label(path):
                places.setdefault(name, []).append(label(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


IRREGULAR = {
    "begun",
    "broken",
    "built",
    "done",
    "drawn",
    "found",
    "given",
    "gone",
    "held",
    "kept",
    "known",
    "laid",
    "left",
    "made",
    "met",
    "said",
    "seen",
    "sent",
    "shown",
    "sold",
    "taken",
    "told",
    "written",
    "wrote",
}
NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "speed"}
FIELDS_BY_DECORATOR = {"property", "cached_property", "computed_field", "setter"}  # read like fields, named like them
NAMED_ELSEWHERE: dict[str, str] = {}  # methods by "Class.name", with the library that asks for the name


def list_functions(tree: ast.AST, owner: str = "") -> Iterator[str]:
    """Names of functions, nested ones too, and of methods as "Class.name"; no properties."""
    for node in ast.iter_child_nodes(tree):
        inside = owner
        if isinstance(node, ast.ClassDef):
            inside = f"{node.name}."
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if (
                not {word for each in node.decorator_list for word in ast.unparse(each).split(".")}
                & FIELDS_BY_DECORATOR
            ):
                yield f"{owner}{node.name}"
            inside = ""
        yield from list_functions(node, inside)


def is_participle(name: str) -> bool:
    """Whether a name begins with one: what it gives is then said by no verb."""
    word = name.rpartition(".")[2].strip("_").partition("_")[0]
    return word in IRREGULAR or (word.endswith("ed") and word not in NO_PARTICIPLES)


def test_no_function_or_method_is_named_by_a_participle() -> None:
    functions = {label(path): set(list_functions(ast.parse(path.read_text()))) for path in SOURCES}
    named = {file: [each for each in names if is_participle(each)] for file, names in functions.items()}
    assert {file: left for file, names in named.items() if (left := sorted({*names} - NAMED_ELSEWHERE.keys()))} == {}
    assert NAMED_ELSEWHERE.keys() - {each for names in named.values() for each in names} == set(), "shorten the list"


PROVIDERS = {row["name"] for row in csv.DictReader((ROOT / "catalogs/providers.csv").read_text().splitlines())}
FOLDERS_OF_CLOUDS = ("catalogs/", "components/clouds/", "planning/costs/resources/clouds/", "operations/clouds/")
NAMES_PROVIDERS = {  # with the reason why a literal there is no trait of a provider
    "components/stack/targets.py": "which builder makes a cluster",
    "components/stack/cluster_contents.py": "which builder makes the main cloud's end of a tunnel",
    "components/platform/experiments/airflow.py": "Airflow's kind of a connection",
    "operations/engine/environment.py": "plugins of Pulumi",
    "operations/offline/program.py": "packages of Pulumi types",
    "operations/relocation/buckets/pairs.py": "kinds of object stores",
    "operations/relocation/config/endpoints.py": "kinds of object stores",
    "operations/relocation/steps/preflight.py": "kinds of object stores",
    "operations/relocation/writers/ports.py": "kinds of object stores",
    "operations/terraform/plan.py": "Terraform's name of its provider",
    "planning/checklist/model/vocabulary.py": "the words that a checklist may say",
    "planning/costs/resources/locations.py": "packages of Pulumi types",
    "planning/spec/cluster.py": "the words that a lock may say",
    "planning/values/extras.py": "extras of our Python package",
    "policies/rules/placement/resource_locations.py": "packages of Pulumi types",
}


def test_a_provider_is_named_only_in_the_catalog_and_in_its_own_folders() -> None:
    """What sets a provider apart is a column of providers.csv (`catalogs.providers.ProviderTraits`)."""
    naming = {
        label(path)
        for path in SOURCES
        if not label(path).startswith(FOLDERS_OF_CLOUDS)
        and any(
            isinstance(node, ast.Constant) and node.value in PROVIDERS for node in ast.walk(ast.parse(path.read_text()))
        )
    }
    assert naming - NAMES_PROVIDERS.keys() == set()
    assert NAMES_PROVIDERS.keys() - naming == set(), "shorten the list"
