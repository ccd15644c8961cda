"""Quoting needs few packages; what needs more says which extra brings it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection
from importlib.metadata import packages_distributions
from pathlib import Path
from shutil import copytree

import pytest

from cli.terminal.errors import render_error
from planning.values.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONAL = PROJECT["optional-dependencies"]
USER_EXTRAS = sorted(set(OPTIONAL) - {"dev", "all"})
PROGRAM = {"__init__.py", "__main__.py"}
# Runs one command in a process to which no package of an extra can be imported, as after a plain `pip install atoll`.
WITHOUT_EXTRAS = """
import sys
from importlib.abc import MetaPathFinder
blocked = set(sys.argv[1].split(","))
class Blocked(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if any(name == each or name.startswith(each + ".") for each in blocked):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
sys.argv = ["atoll", *sys.argv[2:]]
from cli.main.entry import main
main()
"""


def name_of(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9-]+", requirement)
    assert found is not None
    return found[0].lower()


def run(*arguments: str, at: Path = ROOT, having: Collection[str] = ()) -> subprocess.CompletedProcess[str]:
    """A command where only the packages of `having` are installed beside those of a plain installation."""
    blocked = ",".join(module for module, extra in EXTRAS.items() if extra not in having)
    command = [sys.executable, "-c", WITHOUT_EXTRAS, blocked, *arguments]
    return subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)


def test_every_package_of_an_extra_is_known_by_the_name_that_is_imported() -> None:
    distributions = {
        name.lower().replace("_", "-"): module for module, names in packages_distributions().items() for name in names
    }
    wanted = {name_of(each) for extra in USER_EXTRAS for each in OPTIONAL[extra]} - {"atoll", "mkdocs-material"}
    roots = {module.partition(".")[0] for module in EXTRAS}
    assert {each for each in wanted if distributions[each] not in roots} == set()
    assert set(EXTRAS.values()) <= set(USER_EXTRAS)


def test_all_names_every_extra_and_a_developer_has_all() -> None:
    assert OPTIONAL["all"] == [f"atoll[{','.join(sorted(set(USER_EXTRAS) - {'pulumi'}))}]"]
    assert "atoll[all]" in OPTIONAL["dev"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "demo"),
        ("quote", "demo", "--allow-stale"),
        ("quote", "demo", "--allow-stale", "--json"),
        ("catalog", "list"),
        ("rules",),
        ("schema",),
    ],
    ids=" ".join,
)
def test_quoting_needs_no_extra(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert (answer.returncode, answer.stderr) == (0, "")
    if "--json" in arguments:
        assert json.loads(answer.stdout)["options"]


def test_a_document_of_a_quote_needs_no_extra(tmp_path: Path) -> None:
    page = tmp_path / "quote.html"
    answer = run("quote", "demo", "--allow-stale", "--html", str(page))
    assert answer.returncode == 0, answer.stderr
    assert page.stat().st_size > 0


def test_a_plan_names_the_extra_that_is_missing_and_a_cloud_needs_its_own_only(project: Path) -> None:
    copytree(ROOT / "stacks", project / "stacks", dirs_exist_ok=True, ignore=lambda _, names: set(names) - PROGRAM)
    accepted = run("accept", "demo", "recommended", "--allow-stale", at=project)
    assert accepted.returncode == 0, accepted.stderr
    bare = run("plan", "demo", "--allow-stale", at=project)
    assert bare.returncode == 1
    assert "needs the Python package pulumi, which is not installed" in bare.stderr
    assert 'pip install "atoll[pulumi]"' in bare.stderr
    without_aws = run("plan", "demo", "--allow-stale", at=project, having={"pulumi"})
    assert (without_aws.returncode, 'pip install "atoll[aws]"' in without_aws.stderr) == (1, True)
    whole = run("plan", "demo", "--allow-stale", at=project, having={"pulumi", "aws"})
    assert whole.returncode == 0, whole.stderr


def test_a_fault_of_our_own_is_no_missing_extra() -> None:
    text, _ = render_error(ModuleNotFoundError("No module named 'planning.lost'", name="planning.lost"))
    assert "this is a bug in Atoll" in text
