"""What we read of GitHub's answers and events; fields that we do not read are left out."""

from __future__ import annotations

from typing import Final

from pydantic import TypeAdapter
from typing_extensions import TypedDict


class User(TypedDict):
    """An account."""

    login: str
    type: str


class Repository(TypedDict):
    """A repository by its full name."""

    full_name: str


class Home(Repository):
    """The repository that an event is about."""

    default_branch: str


class Tip(TypedDict):
    """One end of a pull request; `repo` is null where a fork was deleted."""

    sha: str
    ref: str
    repo: Repository | None


class Pull(TypedDict):
    """A pull request."""

    number: int
    state: str
    head: Tip
    base: Tip


class Changed(TypedDict, total=False):
    """A changed file."""

    filename: str
    previous_filename: str


class Review(TypedDict):
    """A review; `commit_id` is what was looked at."""

    user: User | None
    state: str
    commit_id: str | None
    author_association: str


class Comment(TypedDict):
    """A comment on an issue or a pull request."""

    id: int
    body: str | None
    user: User | None


class Issue(TypedDict, total=False):
    """An issue; `pull_request` is there where it is none."""

    number: int
    body: str | None
    user: User | None
    pull_request: object


class Artifact(TypedDict):
    """An artifact of a run."""

    id: int
    name: str
    size_in_bytes: int
    expired: bool


class Artifacts(TypedDict):
    """A page of artifacts."""

    artifacts: list[Artifact]


class Parent(TypedDict):
    """A parent of a commit."""

    sha: str


class Commit(TypedDict):
    """A commit and its parents, the first one first."""

    sha: str
    parents: list[Parent]


class Compared(TypedDict):
    """How one commit lies to another: "ahead", "behind", "identical", "diverged"."""

    status: str


class Between(TypedDict):
    """Files that differ between two commits, of which GitHub lists the first 300."""

    files: list[Changed]


class Rights(TypedDict):
    """What an account may do in a repository: "admin", "write", "read" or "none"."""

    permission: str


class Run(TypedDict):
    """A finished run of a workflow, as the event tells it."""

    id: int
    event: str
    path: str
    head_sha: str
    head_branch: str | None
    head_repository: Repository | None


class RunEvent(TypedDict):
    """The event `workflow_run`."""

    workflow_run: Run
    repository: Home


PULL: Final = TypeAdapter[Pull](Pull)
PULLS: Final = TypeAdapter[list[Pull]](list[Pull])
FILES: Final = TypeAdapter[list[Changed]](list[Changed])
REVIEWS: Final = TypeAdapter[list[Review]](list[Review])
COMMENTS: Final = TypeAdapter[list[Comment]](list[Comment])
ISSUES: Final = TypeAdapter[list[Issue]](list[Issue])
ARTIFACTS: Final = TypeAdapter[Artifacts](Artifacts)
COMMIT: Final = TypeAdapter[Commit](Commit)
COMPARED: Final = TypeAdapter[Compared](Compared)
BETWEEN: Final = TypeAdapter[Between](Between)
RIGHTS: Final = TypeAdapter[Rights](Rights)
RUN_EVENT: Final = TypeAdapter[RunEvent](RunEvent)
ANYTHING: Final = TypeAdapter[object](object)
