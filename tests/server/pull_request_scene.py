"""A repository with one pull request from a fork, and GitHub's API before it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

from github_stub import FORK, REPOSITORY, Stub, event, pull  # noqa: E402 - after the path
from workflow_runner import Runner  # noqa: E402 - as above

from operations.code_hosts.commit_status import MARKER  # noqa: E402 - as above

WORKFLOWS = ROOT / ".github" / "workflows"


def git(folder: Path, *command: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *identity, *command], capture_output=True, text=True, check=True)  # noqa: S607 - git from the PATH
    return done.stdout.strip()


@dataclass
class Scene:
    """A repository with one pull request, and GitHub's API before it."""

    folder: Path
    origin: Path
    stub: Stub
    base: str = ""
    head: str = ""
    home: str = FORK

    def change(self, files: dict[str, str]) -> None:
        """A new head of the pull request, and the merge commit that GitHub makes of it."""
        git(self.origin, "checkout", "-q", "-B", "change", "main")
        for name, text in files.items():
            (self.origin / name).parent.mkdir(parents=True, exist_ok=True)
            (self.origin / name).write_text(text)
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "change")
        self.base, self.head = git(self.origin, "rev-parse", "main"), git(self.origin, "rev-parse", "change")
        git(self.origin, "checkout", "-q", "--detach", "main")
        git(self.origin, "merge", "-q", "--no-ff", "-m", "merge", "change")
        git(self.origin, "update-ref", "refs/pull/7/merge", "HEAD")
        merge = git(self.origin, "rev-parse", "HEAD")
        self.stub.pulls = [pull(7, home=self.home, sha=self.head)]
        self.stub.files = [{"filename": name} for name in files]
        self.stub.parents, self.stub.on_base = {merge: [self.base, self.head]}, {self.base}
        git(self.origin, "checkout", "-q", "main")

    def compute(self) -> Runner:
        values = {"inputs.python-version || '3.11'": "3.11", "inputs.retention-days || 30": "30"}
        runner = Runner(self.folder / f"diff-{self.head[:8]}", self.origin, "refs/pull/7/merge", values)
        runner.job(WORKFLOWS / "cost-diff.yml", "diff")
        self.stub.artifact = runner.artifacts["atoll-diff"]
        return runner

    def post(self, **run: Any) -> Runner:
        runner = self.runner("post", event(home=self.home, sha=run.pop("head_sha", self.head), **run))
        runner.job(WORKFLOWS / "cost-comment.yml", "comment")
        return runner

    def runner(self, name: str, told: dict[str, Any]) -> Runner:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(told))
        environment = {
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_API_URL": self.stub.root,
            "GITHUB_REPOSITORY": REPOSITORY,
            "ATOLL_DEBUG": "1",
        }
        values = {"github.event.repository.default_branch": "main", "github.token": "a-token-of-the-job"}
        place = self.folder / f"{name}-{len(list(self.folder.iterdir()))}"
        return Runner(place, self.origin, "refs/heads/main", values, environment)

    @property
    def states(self) -> list[tuple[str, str]]:
        return [(sha, sent["state"]) for sha, sent in self.stub.statuses]

    @property
    def ours(self) -> list[str]:
        return [each["body"] for each in self.stub.comments if each["body"].startswith(MARKER)]
