"""The two trees of a comparison: a commit checked out beside the repository, or the working tree as it is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


DEADLINE_S: Final = 300.0
SHALLOW_HINT: Final = "a shallow clone lacks it: fetch it first, in GitHub Actions with `fetch-depth: 0`"
# Set by hooks, they would point git elsewhere (githooks(5)).
HOOK_VARIABLES: Final = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"})
QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


class GitError(AtollError):
    """Git refused; the message is its own."""


def git(root: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """Output of one git command in a folder; arguments are never read by a shell.

    Raises:
        GitError: it failed, did not end, or there is no git.
    """
    surroundings = {key: value for key, value in os.environ.items() if key not in HOOK_VARIABLES}
    # A repository may bring hooks and a file monitor, which are programs of its own.
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - a list, no shell
            command,
            cwd=root,
            env={**surroundings, **QUIET, **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=DEADLINE_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise GitError("git is not on PATH", hint="a comparison needs git") from error
    except subprocess.TimeoutExpired as error:
        raise GitError(f"git {arguments[0]} did not end within {DEADLINE_S:g} s") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise GitError(f"git {arguments[0]} failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout.decode(errors="surrogateescape")


def commit_of(root: Path, ref: str) -> str:
    """Full hash of the commit that a name means.

    Raises:
        InputError: no such commit here.
    """
    try:
        return git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").strip()
    except GitError as error:
        git(root, "rev-parse", "--git-dir")  # its own words where this is no repository
        raise InputError(f"there is no commit {ref!r} in this clone", hint=SHALLOW_HINT) from error


def merge_base(root: Path, one: str, other: str) -> str:
    """The commit from which two histories part.

    Raises:
        InputError: they share none that this clone has.
    """
    try:
        return git(root, "merge-base", one, other).strip()
    except GitError as error:
        raise InputError(f"{one[:12]} and {other[:12]} share no history in this clone", hint=SHALLOW_HINT) from error


def count_missing_commits(root: Path, base: str, head: str) -> int:
    """How many commits the base has that the head lacks."""
    return int(git(root, "rev-list", "--count", f"{head}..{base}").strip())


def prefix_of(root: Path) -> str:
    """Where the project lies in its repository: "" at its top, else "folder/"."""
    return git(root, "rev-parse", "--show-prefix").rstrip("\n")


def files_of(root: Path, commit: str) -> dict[str, str]:
    """Path below the project to mode and object id, at a commit."""
    return _parse_tree(git(root, "ls-tree", "-r", "-z", commit))


def files_now(root: Path) -> dict[str, str]:
    """The same of the working tree, what git does not know yet among it."""
    with tempfile.TemporaryDirectory(prefix="atoll-index-") as folder:
        # An index and a store of objects apart: the repository stays as it is, and so does what is staged in it.
        index, objects = Path(folder) / "index", Path(folder) / "objects"
        objects.mkdir()
        there = _inside(root, "index")
        if there.exists():
            shutil.copyfile(there, index)
        apart = {
            "GIT_INDEX_FILE": str(index),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(_inside(root, "objects")),
        }
        git(root, "add", "--all", ".", variables=apart)
        tree = git(root, "write-tree", variables=apart).strip()
        return _parse_tree(git(root, "ls-tree", "-r", "-z", tree, variables=apart))


def _inside(root: Path, name: str) -> Path:
    return (root / git(root, "rev-parse", "--git-path", name).rstrip("\n")).resolve()


def _parse_tree(text: str) -> dict[str, str]:
    """Lines "mode type id<TAB>path" of `git ls-tree -z`."""
    found: dict[str, str] = {}
    for line in text.split("\0"):
        head, _, path = line.partition("\t")
        if path:
            mode, _, identity = head.split(" ")
            found[path] = f"{mode} {identity}"
    return found


# What answers for a tree, and what starts its command: a file, and the module to run. The second row of each is for
# trees from before `operations/` and `cli/`; it stays for one release.
WORKERS: Final = (("operations/diff/worker.py", "operations.diff.worker"), ("driver/side.py", "driver.side"))
ENTRIES: Final = (("cli/main/entry.py", "cli.main.entry"), ("driver/entry.py", "driver.entry"))
TERMINATED: Final = 128 + signal.SIGTERM


@dataclass(frozen=True, kw_only=True)
class Tree:
    """One side of a comparison.

    Args:
        ref: as it was named; "" for the working tree.
        commit: full hash; "" for the working tree.
        files: path below the project to mode and object id.
    """

    ref: str
    commit: str
    files: Mapping[str, str]

    @property
    def worker(self) -> str:
        """The module that answers for this tree; "" where its Atoll is older than any of them."""
        return next((module for file, module in WORKERS if file in self.files), "")

    @property
    def entry(self) -> str:
        return next((module for file, module in ENTRIES if file in self.files), ENTRIES[-1][1])

    @property
    def can_judge(self) -> bool:
        return bool(self.worker)


@dataclass(frozen=True, slots=True)
class Worktree:
    """A tree with the folder in which it stands."""

    tree: Tree
    root: Path


def read_tree(root: Path, ref: str) -> Tree:
    """The tree of a ref.

    Raises:
        InputError: no such commit here.
    """
    commit = commit_of(root, ref)
    return Tree(ref=ref, commit=commit, files=files_of(root, commit))


def working_tree(root: Path) -> Tree:
    return Tree(ref="", commit="", files=files_now(root))


@contextmanager
def temporary_folder() -> Generator[Path]:
    """A folder for everything that a comparison writes, gone afterwards, also after Ctrl-C or SIGTERM."""
    with _exit_on_sigterm():
        folder = Path(tempfile.mkdtemp(prefix="atoll-diff-")).resolve()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def check_out(root: Path, tree: Tree, *, folder: Path, name: str) -> Generator[Worktree]:
    """The tree as files: a worktree below `folder`, removed afterwards; the project itself for the working tree.

    Raises:
        GitError: it cannot be checked out.
    """
    if not tree.commit:
        yield Worktree(tree, root)
        return
    path = folder / name
    prefix = prefix_of(root)
    try:
        git(root, "worktree", "add", "--detach", "--quiet", str(path), tree.commit)
        yield Worktree(tree, path / prefix if prefix else path)
    finally:
        with suppress(GitError):
            git(root, "worktree", "remove", "--force", str(path))
        # git refuses where the worktree was made only in part.
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
            with suppress(GitError):
                git(root, "worktree", "prune")


@contextmanager
def _exit_on_sigterm() -> Generator[None]:
    """While it lasts, SIGTERM ends the process as an exit does, so that what was made is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(*_: object) -> NoReturn:
    raise SystemExit(TERMINATED)
