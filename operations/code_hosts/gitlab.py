"""Merge requests of GitLab: a job on the default branch reads what their pipelines left, and posts it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NotRequired
from urllib.parse import quote

from typing_extensions import TypedDict

from operations.code_hosts.api import open_api
from operations.code_hosts.artifact import LARGEST_ARCHIVE, UntrustedError, diff_in, read_commits
from operations.code_hosts.commit_status import (
    build_status,
    build_unreadable_status,
    context,
    is_ours,
    list_verdict_files,
    select_verdict_paths,
)
from operations.project.http import AnswerTooLargeError, HttpError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from operations.code_hosts.api import CodeHostApi
    from operations.code_hosts.commit_status import CommitStatus, RenderComment
    from planning.diff.form import DiffForm


class Author(TypedDict):
    id: int


class Pipeline(TypedDict):
    """A pipeline and the project that it ran in: the fork's own, for a fork."""

    id: int
    project_id: int
    sha: str
    source: NotRequired[str]
    """What started it; no variable of whoever started it changes that."""


class Merge(TypedDict):
    iid: int


class MergeDetail(Merge):
    """A merge request with its newest pipeline."""

    sha: str
    state: str
    target_branch: str
    head_pipeline: Pipeline | None


class Diff(TypedDict):
    old_path: str
    new_path: str


class GitLabNote(TypedDict):
    id: int
    body: str
    author: Author
    system: bool


class GitLabJob(TypedDict):
    id: int
    name: str
    status: str


class GitLabCommit(TypedDict):
    parent_ids: list[str]


class Ref(TypedDict):
    name: str


class GitLabComparison(TypedDict):
    """What changed between two commits; cut short where `compare_timeout`."""

    diffs: list[Diff]
    compare_timeout: bool


JOB: Final = "atoll-cost-diff"
FOLDER: Final = "atoll-diff/"
ENDED: Final = frozenset({"success", "failed"})
MERGE_REQUEST: Final = "merge_request_event"
MOST_FILES: Final = 1000  # of a diff, GitLab's default limit; more are left out without a word
STATES: Final = {True: "success", False: "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GitLab:
    """One project behind its API; `branch` is its default branch."""

    api: CodeHostApi
    project: int
    branch: str

    def list_open(self) -> Iterator[MergeDetail]:
        """Every open merge request, each with its newest pipeline."""
        for each in self.api.list_pages(self._build_path("merge_requests"), Merge, state="opened"):
            yield self.api.get(self._build_path(f"merge_requests/{each['iid']}"), MergeDetail)

    def find_job(self, pipeline: Pipeline) -> int:
        """The finished cost job of a pipeline.

        Raises:
            UntrustedError: there is none.
        """
        listed = self.api.list_pages(f"projects/{pipeline['project_id']}/pipelines/{pipeline['id']}/jobs", GitLabJob)
        found = [job["id"] for job in listed if job["name"] == JOB and job["status"] in ENDED]
        if not found:
            raise UntrustedError(f"the pipeline has no finished job {JOB}")
        return max(found)

    def download_archive(self, project: int, job: int) -> bytes:
        return self.api.download(f"projects/{project}/jobs/{job}/artifacts", limit=LARGEST_ARCHIVE)

    def list_paths(self, number: int) -> tuple[tuple[str, ...], bool]:
        """Paths that a merge request changes, old names included, and whether these are all of them."""
        listed = list(self.api.list_pages(self._build_path(f"merge_requests/{number}/diffs"), Diff))
        return _paths(listed), len(listed) < MOST_FILES

    def holds(self, branch: str, sha: str) -> bool:
        path = self._build_path(f"repository/commits/{quote(sha, safe='')}/refs")
        return any(ref["name"] == branch for ref in self.api.list_pages(path, Ref, type="branch"))

    def list_changes(self, sha: str, branch: str) -> tuple[str, ...] | None:
        """Paths that a branch has changed since a commit of its own; None where GitLab cannot list them all."""
        query = {"from": sha, "to": branch}
        compared = self.api.get(self._build_path("repository/compare"), GitLabComparison, **query)
        cut = compared["compare_timeout"] or len(compared["diffs"]) >= MOST_FILES
        return None if cut else _paths(compared["diffs"])

    def list_parents(self, sha: str) -> list[str]:
        """Hashes of a commit's parents, the first one first."""
        return self.api.get(self._build_path(f"repository/commits/{quote(sha, safe='')}"), GitLabCommit)["parent_ids"]

    def keep_comment(self, number: int, text: str) -> None:
        """Leave one note of ours, with this text."""
        me, path = self.api.get("user", Author)["id"], self._build_path(f"merge_requests/{number}/notes")
        listed = self.api.list_pages(path, GitLabNote, sort="asc", order_by="created_at")
        ours = [
            (each["id"], each["body"])
            for each in listed
            if each["author"]["id"] == me and not each["system"] and is_ours(each["body"])
        ]
        self.api.keep_one_comment(ours, text, create=path, edit=path, method="PUT")

    def set_status(self, sha: str, standing: CommitStatus, *, name: str) -> None:
        sent = {"state": STATES[standing.success], "name": name, "description": standing.description}
        self.api.send("POST", self._build_path(f"statuses/{quote(sha, safe='')}"), sent)

    def _build_path(self, path: str) -> str:
        return f"projects/{self.project}/{path}"


def gitlab(*, root: str, token: str, project: int, branch: str) -> GitLab:
    """GitLab with a project's token.

    Raises:
        InputError: no token, or an address that is not HTTPS.
    """
    # A bearer token is not taken along by a redirect to another host, as GitLab's own header would be.
    return GitLab(api=open_api(root, token), project=project, branch=branch)


def post_all(host: GitLab, *, render: RenderComment) -> tuple[str, ...]:
    """A note and a status for every open merge request whose cost job has ended; what was done, a sentence each.

    Raises:
        HttpError: GitLab does not answer.
    """
    return tuple(_post(host, each, render=render) for each in host.list_open())


def _post(host: GitLab, merge: MergeDetail, *, render: RenderComment) -> str:
    pipeline, number = merge["head_pipeline"], merge["iid"]
    if pipeline is None or merge["state"] != "opened":
        return f"!{number}: no pipeline"
    form: DiffForm | None = None
    try:
        form, standing = _evaluate_pipeline(host, merge, pipeline)
    except (UntrustedError, AnswerTooLargeError) as error:
        standing = build_unreadable_status(str(error))
    except HttpError as error:
        if not error.refused:
            raise
        standing = build_unreadable_status("the token may not read the pipeline, as with a private fork")
    try:
        host.set_status(merge["sha"], standing, name=context(merge["target_branch"], default=host.branch))
        host.keep_comment(number, render(form, standing, merge["sha"]))
    except HttpError as error:
        if not error.refused:
            raise
        return f"!{number}: {standing.description}; the token may not write it there"
    return f"!{number}: {standing.description}"


def _evaluate_pipeline(host: GitLab, merge: MergeDetail, pipeline: Pipeline) -> tuple[DiffForm, CommitStatus]:
    form = diff_in(host.download_archive(pipeline["project_id"], host.find_job(pipeline)), folder=FOLDER)
    paths, complete = host.list_paths(merge["iid"])
    _about(form, host=host, merge=merge, paths=paths)
    ours = pipeline["project_id"] == host.project and pipeline.get("source") == MERGE_REQUEST
    touched = select_verdict_paths([*paths, *list_verdict_files(form)])
    return form, build_status(form, touched=touched, complete=complete, approved=False, elsewhere=not ours)


def _about(form: DiffForm, *, host: GitLab, merge: MergeDetail, paths: tuple[str, ...]) -> None:
    """The diff is about this head, on a commit of the target branch whose judge still stands.

    Raises:
        UntrustedError: it is about something else, or was judged by what is no longer the law.
    """
    head, base = read_commits(form)
    if head != merge["sha"] and merge["sha"] not in host.list_parents(head):
        raise UntrustedError("the diff is about another commit than the merge request's head")
    if not host.holds(merge["target_branch"], base):
        raise UntrustedError("the diff's base is not on the target branch; rebase")
    since = host.list_changes(base, merge["target_branch"])
    if since is None or select_verdict_paths(since) or set(since) & set(paths):
        raise UntrustedError("the target branch has changed what judges, or the same files, since; rebase")


def _paths(diffs: Iterable[Diff]) -> tuple[str, ...]:
    return tuple(sorted({path for each in diffs for path in (each["old_path"], each["new_path"])}))
