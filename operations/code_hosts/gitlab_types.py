"""What we read of GitLab's answers; fields that we do not read are left out."""

from __future__ import annotations

from typing import Final, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict


class Author(TypedDict):
    """An account."""

    id: int


class Pipeline(TypedDict):
    """A pipeline and the project that it ran in: the fork's own, for a fork."""

    id: int
    project_id: int
    sha: str
    source: NotRequired[str]
    """What started it; no variable of whoever started it changes that."""


class Merge(TypedDict):
    """A merge request."""

    iid: int
    sha: str
    target_branch: str
    source_project_id: int | None
    target_project_id: int


class MergeDetail(TypedDict):
    """A merge request with its newest pipeline."""

    iid: int
    sha: str
    state: str
    target_branch: str
    head_pipeline: Pipeline | None


class Diff(TypedDict):
    """A changed file."""

    old_path: str
    new_path: str


class Note(TypedDict):
    """A comment; `system` where GitLab wrote it."""

    id: int
    body: str
    author: Author
    system: bool


class Job(TypedDict):
    """A job of a pipeline."""

    id: int
    name: str
    status: str


class Commit(TypedDict):
    """A commit and its parents' hashes."""

    id: str
    parent_ids: list[str]


class Ref(TypedDict):
    """A branch."""

    name: str


class Compared(TypedDict):
    """What changed between two commits; cut short where `compare_timeout`."""

    diffs: list[Diff]
    compare_timeout: bool


REFS: Final = TypeAdapter[list[Ref]](list[Ref])
COMPARED: Final = TypeAdapter[Compared](Compared)
MERGES: Final = TypeAdapter[list[Merge]](list[Merge])
MERGE: Final = TypeAdapter[MergeDetail](MergeDetail)
DIFFS: Final = TypeAdapter[list[Diff]](list[Diff])
NOTES: Final = TypeAdapter[list[Note]](list[Note])
JOBS: Final = TypeAdapter[list[Job]](list[Job])
COMMIT: Final = TypeAdapter[Commit](Commit)
AUTHOR: Final = TypeAdapter[Author](Author)
ANYTHING: Final = TypeAdapter[object](object)
