"""What is written to GitHub: the comment and status of a cost job, and an issue for each stack that has drifted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.code_hosts.artifact import LARGEST_ARCHIVE, NAME, UntrustedError, diff_in, read_commits
from operations.code_hosts.commit_status import (
    build_status,
    build_unreadable_status,
    context,
    list_verdict_files,
    select_verdict_paths,
)
from operations.project.http import AnswerTooLargeError, HttpError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from operations.code_hosts.commit_status import CommitStatus, RenderComment
    from operations.code_hosts.github import GitHub, Pull, RunEvent
    from planning.diff.form import DiffForm


WORKFLOW: Final = ".github/workflows/cost-diff.yml"
EVENT: Final = "pull_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What was done, in a sentence; `comment` is what was, or would have been, written."""

    words: str
    comment: str = ""
    standing: CommitStatus | None = None


def post(
    event: RunEvent,
    *,
    github: GitHub,
    render: RenderComment,
    workflow: str = WORKFLOW,
    target: str = "",
) -> Posted:
    """Set the status and write the sticky comment of the pull request that a run was about.

    The pull request comes from the event and the API, never from what the run left.

    Raises:
        HttpError: the status cannot be set, or GitHub does not answer.
    """
    run = event["workflow_run"]
    if run["event"] != EVENT or run["path"].partition("@")[0] != workflow:
        return Posted(words=f"nothing to post: not a run of {workflow} for a pull request")
    pulls = github.list_pulls_of(run)
    if not pulls:
        return Posted(words="nothing to post: no open pull request has this run's commit as its head")
    sha = run["head_sha"]
    pull, *others = pulls
    numbers = tuple(each["number"] for each in pulls)
    if others:
        form, standing = None, build_unreadable_status(f"pull requests {_join_numbers(numbers)} share this commit")
    else:
        form, standing = _evaluate_run(github, run["id"], pull, sha)
    # Asked again at the end: a push meanwhile makes the figures those of another commit.
    if github.get_pull(pull["number"])["head"]["sha"] != sha:
        return Posted(words="nothing to post: the pull request has moved on to another commit")
    name = context(pull["base"]["ref"], default=event["repository"]["default_branch"])
    github.set_status(sha, state=standing.state, context=name, description=standing.description, target=target)
    return _write_comments(github, numbers, standing, render(form, standing, sha))


def _evaluate_run(github: GitHub, run: int, pull: Pull, sha: str) -> tuple[DiffForm | None, CommitStatus]:
    """The checked diff of a run, None where there is none, and what it comes to."""
    try:
        form = _diff(github, run)
        _about(form, github=github, pull=pull, sha=sha)
    except (UntrustedError, AnswerTooLargeError) as error:
        return None, build_unreadable_status(str(error))
    listed, complete = github.list_paths(pull["number"])
    paths = (*listed, *github.list_changes(form["base"]["commit"], sha))  # a push in between moves only the former
    approved = github.is_approved(pull["number"], commit=sha)
    return form, build_status(
        form, touched=select_verdict_paths([*paths, *list_verdict_files(form)]), complete=complete, approved=approved
    )


def _diff(github: GitHub, run: int) -> DiffForm:
    artifact = github.find_artifact(run, NAME)
    if artifact is None:
        raise UntrustedError(f"the run left no artifact {NAME}")
    if artifact["size_in_bytes"] > LARGEST_ARCHIVE:
        raise UntrustedError(f"the artifact is larger than {LARGEST_ARCHIVE >> 20} MiB")
    return diff_in(github.download_archive(artifact["id"], limit=LARGEST_ARCHIVE))


def _about(form: DiffForm, *, github: GitHub, pull: Pull, sha: str) -> None:
    """The diff is about this head on a commit of the base branch.

    Raises:
        UntrustedError: it is about something else.
    """
    head, base = read_commits(form)
    try:
        if head != sha and github.list_parents(head) != [base, sha]:
            raise UntrustedError("the diff is about another commit than the pull request's head")
        if not github.holds(pull["base"]["ref"], base):
            raise UntrustedError("the diff's base is not on the base branch; it was rewritten, so run the job again")
    except HttpError as error:
        if not error.refused:
            raise
        raise UntrustedError("the diff names a commit that GitHub does not have") from error


def _write_comments(github: GitHub, numbers: tuple[int, ...], standing: CommitStatus, text: str) -> Posted:
    """Write the comments."""
    # After the status, for that is what stops a merge.
    words = f"status {standing.state} set"
    try:
        for number in numbers:
            github.keep_comment(number, text)
    except HttpError as error:
        if not error.refused:
            raise
        return Posted(words=f"{words}; comments are not allowed here", comment=text, standing=standing)
    return Posted(words=f"{words}, comment on {_join_numbers(numbers)} written", comment=text, standing=standing)


def _join_numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"#{number}" for number in numbers)


LABEL: Final = "atoll-watch"
LONGEST: Final = 65_000
_MARKER: Final = re.compile(r"<!-- atoll:watch:([a-z][a-z0-9-]{0,62}) -->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What `atoll watch` said of a stack; exit code 0 where all is well."""

    stack: str
    exit_code: int
    report: str


def keep(watched: Iterable[Watched], *, github: GitHub) -> tuple[str, ...]:
    """Bring the issues in line with what was seen; what was done, a sentence each. Stacks not named are left alone.

    Raises:
        HttpError: GitHub refuses or does not answer.
    """
    standing: dict[str, list[tuple[int, str]]] = {}
    for issue in github.list_issues(LABEL):
        text, number = issue.get("body") or "", issue.get("number", 0)
        if (found := _MARKER.match(text)) and number:
            standing.setdefault(found[1], []).append((number, text))
    return tuple(
        line for each in watched for line in _sync_stack_issues(each, sorted(standing.get(each.stack, [])), github)
    )


def _sync_stack_issues(seen: Watched, issues: list[tuple[int, str]], github: GitHub) -> Iterable[str]:
    wanted = _body(seen)
    if seen.exit_code and not issues:
        github.open_issue(title=_title(seen), body=wanted, label=LABEL)
        yield f"{seen.stack}: issue opened"
    for place, (number, text) in enumerate(issues):
        if place or not seen.exit_code:
            github.edit_issue(number, state="closed")
            yield f"{seen.stack}: issue #{number} closed"
        elif text != wanted:
            github.edit_issue(number, title=_title(seen), body=wanted)
            yield f"{seen.stack}: issue #{number} updated"


def _title(seen: Watched) -> str:
    return f"{seen.stack}: the running stack no longer keeps what it was accepted for"


def _body(seen: Watched) -> str:
    """Marker, exit code, and the report as an indented block."""
    plain = "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in seen.report[:LONGEST])
    # Indented: no text in it can end the block, as it could end a fence.
    block = "\n".join(f"    {line}" for line in plain.splitlines())[: LONGEST - 500]
    marker = f"<!-- atoll:watch:{seen.stack} -->"
    return f"{marker}\n\n`atoll watch {seen.stack}` ended with exit code {seen.exit_code}:\n\n{block}\n"
