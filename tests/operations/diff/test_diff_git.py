from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from operations.diff import worktrees
from operations.diff import worktrees as git
from planning.values.errors import InputError


def ask(folder: Path, *arguments: str) -> str:
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false", *arguments]
    return subprocess.run(command, cwd=folder, env=surroundings, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project in a folder of its repository."""
    top, project = tmp_path / "top", tmp_path / "top" / "infra"
    project.mkdir(parents=True)
    ask(top, "init", "--quiet", "--initial-branch", "main")
    (project / "kept.txt").write_text("one\n")
    (project / ".gitignore").write_text("ignored.txt\n")
    (top / "outside.txt").write_text("not of the project\n")
    ask(top, "add", "--all")
    ask(top, "commit", "--quiet", "--message", "first")
    return project


def test_a_commit_and_an_untouched_working_tree_hold_the_same(repository: Path) -> None:
    commit = git.commit_of(repository, "main")
    assert set(git.files_of(repository, commit)) == {"kept.txt", ".gitignore"}
    assert git.files_of(repository, commit).items() <= git.files_now(repository).items()


def test_the_working_tree_counts_as_it_is_and_stays_as_it_is(repository: Path) -> None:
    (repository / "new\nline.txt").write_text("unknown to git")
    (repository / "ignored.txt").write_text("nobody asks")
    (repository / "kept.txt").write_text("two\n")
    before = ask(repository, "status", "--porcelain", "--ignored"), ask(repository, "count-objects")
    found = git.files_now(repository)
    assert {"new\nline.txt", "kept.txt", ".gitignore"} <= set(found)
    assert "ignored.txt" not in found
    assert found["kept.txt"] != git.files_of(repository, git.commit_of(repository, "HEAD"))["kept.txt"]
    assert (ask(repository, "status", "--porcelain", "--ignored"), ask(repository, "count-objects")) == before


@pytest.mark.parametrize("ref", ["nowhere", "", "--help", "-h", "main; id", "$(id)", "main:kept.txt", "f" * 40])
def test_what_names_no_commit_is_refused_with_a_way_out(repository: Path, ref: str) -> None:
    with pytest.raises(InputError, match="there is no commit") as refused:
        git.commit_of(repository, ref)
    assert "fetch-depth: 0" in refused.value.hint


def test_a_worktree_stands_at_the_commit_and_is_gone_afterwards(repository: Path, tmp_path: Path) -> None:
    (repository / "kept.txt").write_text("two\n")
    tree = worktrees.read_tree(repository, "main")
    with suppress(KeyboardInterrupt), worktrees.check_out(repository, tree, folder=tmp_path, name="base") as place:
        assert (place.root / "kept.txt").read_text() == "one\n"
        assert place.root.name == "infra"
        raise KeyboardInterrupt
    assert not (tmp_path / "base").exists()
    assert len(ask(repository, "worktree", "list").splitlines()) == 1


def test_a_hook_of_the_repository_is_not_run(repository: Path, tmp_path: Path) -> None:
    hook = Path(ask(repository, "rev-parse", "--absolute-git-dir").strip()) / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    with worktrees.check_out(repository, worktrees.read_tree(repository, "main"), folder=tmp_path, name="base"):
        assert not (tmp_path / "ran").exists()


def test_histories_that_share_nothing_are_refused(repository: Path) -> None:
    ask(repository, "switch", "--quiet", "--orphan", "other")
    (repository / "kept.txt").parent.mkdir(exist_ok=True)
    (repository / "kept.txt").write_text("three\n")
    ask(repository, "add", "--all")
    ask(repository, "commit", "--quiet", "--message", "other")
    with pytest.raises(InputError, match="share no history"):
        git.merge_base(repository, git.commit_of(repository, "main"), git.commit_of(repository, "other"))
