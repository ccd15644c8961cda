"""The two trees of a comparison: a commit checked out beside the repository, or the working tree as it is."""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from operations.diff.git import GitError, commit_of, files_now, files_of, git, prefix_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

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
        """The module of its command."""
        return next((module for file, module in ENTRIES if file in self.files), ENTRIES[-1][1])

    @property
    def can_judge(self) -> bool:
        """Whether its Atoll answers for it."""
        return bool(self.worker)


@dataclass(frozen=True, slots=True)
class Place:
    """A tree with the folder in which it stands."""

    tree: Tree
    root: Path


def at(root: Path, ref: str) -> Tree:
    """The tree of a ref.

    Raises:
        InputError: no such commit here.
    """
    commit = commit_of(root, ref)
    return Tree(ref=ref, commit=commit, files=files_of(root, commit))


def now(root: Path) -> Tree:
    """The working tree."""
    return Tree(ref="", commit="", files=files_now(root))


@contextmanager
def workshop() -> Generator[Path]:
    """A folder for everything that a comparison writes, gone afterwards, also after Ctrl-C or SIGTERM."""
    with _ended_in_order():
        folder = Path(tempfile.mkdtemp(prefix="atoll-diff-")).resolve()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def standing(root: Path, tree: Tree, *, folder: Path, name: str) -> Generator[Place]:
    """The tree as files: a worktree below `folder`, removed afterwards; the project itself for the working tree.

    Raises:
        GitError: it cannot be checked out.
    """
    if not tree.commit:
        yield Place(tree, root)
        return
    path = folder / name
    prefix = prefix_of(root)
    try:
        git(root, "worktree", "add", "--detach", "--quiet", str(path), tree.commit)
        yield Place(tree, path / prefix if prefix else path)
    finally:
        with suppress(GitError):
            git(root, "worktree", "remove", "--force", str(path))
        if path.exists():
            shutil.rmtree(path, ignore_errors=True)
            with suppress(GitError):
                git(root, "worktree", "prune")


@contextmanager
def _ended_in_order() -> Generator[None]:
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
