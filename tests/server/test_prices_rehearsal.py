"""prices.yml, rehearsed: its scripts run in a small repository, with `atoll` and `gh` played by scripts."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pull_request_scene import WORKFLOWS, git
from workflow_runner import Runner

from operations.price_refresh.registry import reader_entries

pytestmark = pytest.mark.server
FILE = WORKFLOWS / "prices.yml"
BRANCH = "atoll/prices"
PRICES = "catalogs/aws/prices.csv"
PAGE = "docs/reference/sources.md"
MAKEFILE = """\
setup:
\tmkdir -p .venv/bin
\tcp played .venv/bin/atoll
\tprintf '#!/bin/bash\\nwc -l < catalogs/aws/prices.csv\\n' > .venv/bin/python
\tchmod +x .venv/bin/*
"""
# What a refresh finds stands in the home of the machine that asks.
PLAYED = f"""#!{sys.executable}
import os, sys
command, *given = sys.argv[1:]
said = dict(item.split("=", 1) for item in open(os.environ["HOME"] + "/answer").read().splitlines())
if command == "diff":
    open(given[-1], "w").write(" ".join(given[:4]))
    sys.exit(10)
if given[0] == "describe-refresh":
    print("demo +4.0% by price alone", open(given[1]).read(), open(given[3]).read())
    sys.exit(0)
assert given[0] == "refresh"
for name in filter(None, said["files"].split(",")):
    open(name, "a").write("new\\n")
open(given[2], "w").write("refreshed")
sys.exit(int(said["code"]))
"""
GH = f"""#!{sys.executable}
import os, sys
log = open(os.environ["HOME"] + "/asked", "a")
log.write(" ".join(sys.argv[1:3]) + "\\n")
assert os.environ["GH_TOKEN"] == "a-token-of-the-job"
state = os.environ["HOME"] + "/open"
if sys.argv[1:3] == ["pr", "list"] and os.path.exists(state):
    print(7)
if sys.argv[1:3] == ["pr", "create"]:
    open(state, "w").close()
"""


@dataclass
class Nights:
    """A repository whose prices are renewed, night by night."""

    folder: Path
    count: int = 0

    @property
    def origin(self) -> Path:
        return self.folder / "island" / "reef.git"

    def pass_one(self, *files: str, code: int = 0) -> tuple[bool, str]:
        """Both jobs, of which the second waits for news; whether they ended well, and what was said."""
        self.count += 1
        (self.folder / "answer").write_text(f"files={','.join(files)}\ncode={code}\n")
        environment = {
            "HOME": str(self.folder),
            "PATH": f"{self.folder}:/usr/bin:/bin",
            "GITHUB_SERVER_URL": self.folder.as_uri(),
            "GITHUB_REPOSITORY": "island/reef",
        }
        secrets = {f"secrets.{key}": "" for entry in reader_entries() for key in entry.keys}
        values = {"github.event.repository.default_branch": "main", "github.token": "a-token-of-the-job"}
        asking, proposing = (
            Runner(self.folder / f"{name}-{self.count}", self.origin, "refs/heads/main", dict(given), environment)
            for name, given in (("ask", secrets), ("propose", values))
        )
        if not asking.job(FILE, "refresh"):
            return False, asking.said
        if asking.values["steps.refresh.outputs.changed"] != "true":
            return True, asking.said
        assert "demo +4.0% by price alone refreshed --base HEAD^ --head HEAD" in asking.summary
        proposing.artifacts = asking.artifacts
        return proposing.job(FILE, "pull-request"), proposing.said

    @property
    def proposed(self) -> str:
        return git(self.origin, "show", f"{BRANCH}:{PRICES}")

    @property
    def asked(self) -> list[str]:
        path = self.folder / "asked"
        return [line for line in path.read_text().splitlines() if line.startswith("pr")] if path.exists() else []


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    found = Nights(tmp_path)
    texts = {
        "Makefile": MAKEFILE,
        "played": PLAYED,
        ".gitignore": ".venv\n",
        "cli.py": "",
        PRICES: "old\n",
        PAGE: "1\n",
    }
    for name, text in {**texts, "docs/reference/estimates.md": "1\n"}.items():
        path = found.origin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(tmp_path, "init", "-q", "-b", "main", str(found.origin))
    git(found.origin, "add", "-A")
    git(found.origin, "commit", "-q", "-m", "base")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    return found


def test_one_pull_request_is_opened_and_then_kept_in_line(nights: Nights) -> None:
    for count, asked in enumerate((["pr list", "pr create"], ["pr list", "pr edit"]), start=1):
        ended, said = nights.pass_one(*[PRICES] * count)
        assert ended, said
        assert nights.proposed == "old" + "\nnew" * count
        assert nights.asked[-2:] == asked
    assert git(nights.origin, "show", f"{BRANCH}:{PAGE}") == "3"
    assert git(nights.origin, "rev-list", "--count", f"main..{BRANCH}") == "1"


def test_a_change_of_anything_else_is_not_proposed(nights: Nights) -> None:
    ended, said = nights.pass_one(PRICES, "cli.py")
    assert not ended
    assert "it changes more than prices" in said
    assert nights.asked == []


def test_a_provider_without_an_answer_is_no_fault_of_the_others(nights: Nights) -> None:
    assert nights.pass_one(PRICES, code=3)[0]
    assert nights.proposed == "old\nnew"


def test_where_the_refresh_fails_nothing_is_proposed(nights: Nights) -> None:
    assert not nights.pass_one(PRICES, code=1)[0]
    assert nights.asked == []


def test_a_night_without_news_asks_for_nothing(nights: Nights) -> None:
    assert nights.pass_one()[0]
    assert nights.asked == []
