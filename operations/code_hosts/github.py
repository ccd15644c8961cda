"""GitHub's REST API, as far as a poster needs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from operations.code_hosts.api import open_api
from operations.code_hosts.commit_status import is_ours
from operations.project.http import HttpError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from operations.code_hosts.api import CodeHostApi


class GitHubUser(TypedDict):
    login: str
    type: str


class Repository(TypedDict):
    full_name: str


class EventRepository(Repository):
    default_branch: str


class Tip(TypedDict):
    """One end of a pull request; `repo` is null where a fork was deleted."""

    sha: str
    ref: str
    repo: Repository | None


class Pull(TypedDict):
    number: int
    state: str
    head: Tip
    base: Tip


class ChangedFile(TypedDict, total=False):
    filename: str
    previous_filename: str


class Review(TypedDict):
    """A review; `commit_id` is what was looked at."""

    user: GitHubUser | None
    state: str
    commit_id: str | None
    author_association: str


class Comment(TypedDict):
    id: int
    body: str | None
    user: GitHubUser | None


class Issue(TypedDict, total=False):
    """An issue; `pull_request` is there where it is none."""

    number: int
    body: str | None
    user: GitHubUser | None
    pull_request: object


class Artifact(TypedDict):
    id: int
    name: str
    size_in_bytes: int
    expired: bool


class Artifacts(TypedDict):
    artifacts: list[Artifact]


class GitHubCommit(TypedDict):
    """A commit; the first parent's hash comes first."""

    parents: list[dict[str, str]]


class GitHubComparison(TypedDict, total=False):
    """How one commit relates to another ("ahead", "behind", "identical", "diverged"), and the first 300 files."""

    status: str
    files: list[ChangedFile]


class RepositoryPermission(TypedDict):
    """What an account may do in a repository: "admin", "write", "read" or "none"."""

    permission: str


class WorkflowRun(TypedDict):
    """A finished run of a workflow, as the event tells it."""

    id: int
    event: str
    path: str
    head_sha: str
    head_branch: str | None
    head_repository: Repository | None


class RunEvent(TypedDict):
    workflow_run: WorkflowRun
    repository: EventRepository


RUN_EVENT: Final = TypeAdapter[RunEvent](RunEvent)
MOST_FILES: Final = 3000  # of a pull request, GitHub's REST reference; more are left out without a word
BOT: Final = "github-actions[bot]"  # who GITHUB_TOKEN writes as
TRUSTED: Final = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
WRITERS: Final = frozenset({"admin", "write"})  # "maintain" reads as "write" here, GitHub's REST reference
SETTLING: Final = frozenset({"APPROVED", "CHANGES_REQUESTED", "DISMISSED"})
HEADERS: Final = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    """One repository behind its API; `bot` is the account that our comments are under."""

    api: CodeHostApi
    repository: str
    bot: str = BOT

    def list_pulls_of(self, run: WorkflowRun) -> tuple[Pull, ...]:
        """Open pull requests into this repository whose head is the run's commit, in the run's own repository."""
        home = (run["head_repository"] or {"full_name": ""})["full_name"]
        owner, _, _ = home.partition("/")
        found: dict[int, Pull] = {}
        if owner and run["head_branch"]:
            head = f"{owner}:{run['head_branch']}"
            listed = self.api.list_pages(self._build_path("pulls"), Pull, state="open", head=head)
            found = {pull["number"]: pull for pull in listed}
        if not found:
            listed = self.api.list_pages(self._build_path(f"commits/{quote(run['head_sha'], safe='')}/pulls"), Pull)
            found = {pull["number"]: pull for pull in listed}
        return tuple(each for each in found.values() if self._is_of(each, sha=run["head_sha"], home=home))

    def get_pull(self, number: int) -> Pull:
        return self.api.get(self._build_path(f"pulls/{number}"), Pull)

    def list_paths(self, number: int) -> tuple[tuple[str, ...], bool]:
        """Paths that a pull request changes, old names included, and whether these are all of them."""
        files = list(self.api.list_pages(self._build_path(f"pulls/{number}/files"), ChangedFile))
        return _names(files), len(files) < MOST_FILES

    def list_changes(self, base: str, head: str) -> tuple[str, ...]:
        """Paths that a commit changes since it parted from another, the first 300; no push changes this answer."""
        path = self._build_path(f"compare/{quote(base, safe='')}...{quote(head, safe='')}")
        return _names(self.api.get(path, GitHubComparison, per_page=1).get("files", ()))

    def is_approved(self, number: int, *, commit: str) -> bool:
        """Whether a member with write access approved exactly this commit, and no latest review requests changes."""
        last: dict[str, str] = {}
        for review in self.api.list_pages(self._build_path(f"pulls/{number}/reviews"), Review):
            user = review["user"]
            if user is None or user["type"] != "User" or review["author_association"] not in TRUSTED:
                continue
            if review["state"] in SETTLING:
                # An approval of an earlier commit says nothing of what was pushed after it.
                stale = review["state"] == "APPROVED" and review["commit_id"] != commit
                last[user["login"]] = "STALE" if stale else review["state"]
        if "CHANGES_REQUESTED" in last.values():
            return False
        # Asked last, one request each: a member or collaborator may have the right to read alone.
        return any(self._may_write(login) for login, word in last.items() if word == "APPROVED")

    def find_artifact(self, run: int, name: str) -> Artifact | None:
        """The newest artifact of a run under a name; None where there is none."""
        page = self.api.get(self._build_path(f"actions/runs/{run}/artifacts"), Artifacts, per_page=100, name=name)
        found = [each for each in page["artifacts"] if each["name"] == name and not each["expired"]]
        return max(found, key=lambda each: each["id"], default=None)

    def download_archive(self, artifact: int, *, limit: int) -> bytes:
        """An artifact's archive, of at most `limit` bytes."""
        return self.api.download(self._build_path(f"actions/artifacts/{artifact}/zip"), limit=limit)

    def list_parents(self, sha: str) -> list[str]:
        """Hashes of a commit's parents, the first one first."""
        found = self.api.get(self._build_path(f"git/commits/{quote(sha, safe='')}"), GitHubCommit)
        return [parent["sha"] for parent in found["parents"]]

    def holds(self, branch: str, sha: str) -> bool:
        path = self._build_path(f"compare/{quote(sha, safe='')}...{quote(branch, safe='')}")
        return self.api.get(path, GitHubComparison, per_page=1).get("status") in {"ahead", "identical"}

    def keep_comment(self, number: int, text: str) -> None:
        """Leave one comment of ours, with this text."""
        path = self._build_path(f"issues/{number}/comments")
        ours = [
            (each["id"], each["body"] or "")
            for each in self.api.list_pages(path, Comment)
            if each["user"] is not None and each["user"]["login"] == self.bot and is_ours(each["body"])
        ]
        self.api.keep_one_comment(ours, text, create=path, edit=self._build_path("issues/comments"), method="PATCH")

    def set_status(self, sha: str, *, state: str, context: str, description: str, target: str) -> None:
        body = {"state": state, "context": context, "description": description} | (
            {"target_url": target} if target else {}
        )
        self.api.send("POST", self._build_path(f"statuses/{quote(sha, safe='')}"), body)

    def list_issues(self, label: str) -> Iterator[Issue]:
        for each in self.api.list_pages(self._build_path("issues"), Issue, state="open", labels=label):
            user = each.get("user")
            if user is not None and user["login"] == self.bot and "pull_request" not in each:
                yield each

    def open_issue(self, *, title: str, body: str, label: str) -> None:
        sent = {"title": title, "body": body, "labels": [label]}
        self.api.send("POST", self._build_path("issues"), sent, again=False)

    def edit_issue(self, number: int, **fields: str) -> None:
        self.api.send("PATCH", self._build_path(f"issues/{number}"), fields)

    def _may_write(self, login: str) -> bool:
        """Whether an account may write here; a member or collaborator may have the right to read alone."""
        try:
            found = self.api.get(
                self._build_path(f"collaborators/{quote(login, safe='')}/permission"), RepositoryPermission
            )
        except HttpError as error:
            if not error.refused:
                raise
            return False
        return found["permission"] in WRITERS

    def _is_of(self, pull: Pull, *, sha: str, home: str) -> bool:
        head, base = pull["head"]["repo"], pull["base"]["repo"]
        same = head is not None and head["full_name"] == home and pull["head"]["sha"] == sha
        return same and pull["state"] == "open" and base is not None and base["full_name"] == self.repository

    def _build_path(self, path: str) -> str:
        owner, _, name = self.repository.partition("/")
        return f"repos/{quote(owner, safe='')}/{quote(name, safe='')}/{path}"


def _names(files: Iterable[ChangedFile]) -> tuple[str, ...]:
    names = {name for each in files for name in (each.get("filename"), each.get("previous_filename")) if name}
    return tuple(sorted(names))


def github(*, root: str, token: str, repository: str, bot: str = BOT) -> GitHub:
    """GitHub with its token.

    Raises:
        InputError: no token, or an address that is not HTTPS.
    """
    return GitHub(api=open_api(root, token, headers=HEADERS), repository=repository, bot=bot)
