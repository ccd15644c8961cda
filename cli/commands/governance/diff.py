"""`atoll diff`: what a change moves in every stack that it touches, in money, resources and rules."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from cli.terminal import options
from cli.terminal.console import note, progress, show
from cli.terminal.options import publish, resolve_files
from operations.project.workspace import STACK_NAME, find_project
from planning.inputs.files import read_json
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.code_hosts.github import GitHub, RunEvent
    from operations.code_hosts.github_report import Watched
    from planning.diff.form import DiffForm


DEADLINE_S: Final = 120.0


class FailOn(StrEnum):
    """Which breaches of a changed stack stop the change."""

    NEW = "new"
    ALL = "all"


FromMergeBase = Annotated[bool, typer.Option("--merge-base", help="Compare with the commit where both histories part.")]
Stacks = Annotated[
    list[str] | None, typer.Option("--stack", metavar="NAME", help="Only this stack; may be given several times.")
]
Stopping = Annotated[
    FailOn, typer.Option("--fail-on", help="Breaches that stop: new ones and ceilings, or all of a changed stack.")
]
Markdown = Annotated[str, options.make_option("--markdown", "FILE", "Write a comment in Markdown.")]
Deadline = Annotated[float, typer.Option("--deadline", metavar="SECONDS", min=1, help="For the program of one stack.")]


def run_diff(
    *,
    base: Annotated[str, options.make_option("--base", "REF", "What to compare with.")],
    head: Annotated[str, options.make_option("--head", "REF", "What is compared.", default="the working tree")] = "",
    from_merge_base: FromMergeBase = False,
    stacks: Stacks = None,
    fail_on: Stopping = FailOn.NEW,
    as_json: options.AsJson = False,
    output: Annotated[list[str] | None, options.output_of(".json, .md, .sarif, .xml (JUnit)")] = None,
    markdown: Markdown = "",
    sarif: Annotated[str, options.make_option("--sarif", "FILE", "Write SARIF.")] = "",
    junit: Annotated[str, options.make_option("--junit", "FILE", "Write JUnit XML.")] = "",
    deadline: Deadline = DEADLINE_S,
    today: options.Today = "",
) -> int:
    """Compare every stack that a change touches: money, resources and rules, without a cloud or an engine.

    Prices, ceilings, rules and exemptions of the base judge both sides. Exit code: the worst of all stacks that differ:
    10 over a ceiling, 1 another rule broken or a stack that fails, 12 prices too old, 11 undetermined, else 0.
    Breaches that the base has too do not count, except of a ceiling, and undetermined ones of a stack that gets more
    expensive; --fail-on all counts them.
    """
    files = resolve_files(
        output, forms=("json", "markdown", "sarif", "junit"), markdown=markdown, sarif=sarif, junit=junit
    )
    from operations.diff.comparison import DiffRequest, compare_project  # noqa: PLC0415 - only where something is compared

    asked = DiffRequest(
        base=base,
        head=head,
        from_merge_base=from_merge_base,
        stacks=tuple(stacks or ()),
        today=options.day(today).isoformat(),
        only_new=fail_on is FailOn.NEW,
        deadline_s=deadline,
    )
    form = compare_project(find_project().root, asked, progress=progress)
    _publish(form, files, as_json=as_json)
    return form["exit_code"]


def _publish(form: DiffForm, files: Mapping[str, Path], *, as_json: bool) -> None:
    from cli.pages.diff import junit as junit_page  # noqa: PLC0415 - once there is something to say
    from cli.pages.diff import markdown as comment  # noqa: PLC0415 - as above
    from cli.pages.diff import sarif as sarif_page  # noqa: PLC0415 - as above
    from cli.views.diff import tables  # noqa: PLC0415 - as above

    publish(
        form,
        files,
        as_json=as_json,
        parts=lambda: tables.parts(form),
        markdown=lambda: comment.text(form),
        sarif=lambda: sarif_page.text(form),
        junit=lambda: junit_page.text(form),
    )


app = typer.Typer(no_args_is_help=True, help="Post a diff to a pull or merge request; for jobs on the default branch.")

LARGEST_REPORT = 1 << 20
LARGEST_EVENT = 32 << 20  # docs.github.com/webhooks caps a payload at 25 MB, 2026-11
Workflow = Annotated[
    str, typer.Option("--workflow", metavar="PATH", help="Workflow file whose runs are posted; of others, none.")
]
Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Holds STACK.txt, and STACK.code with the exit code of atoll watch.")
]


@app.command("github")
def github(workflow: Workflow = ".github/workflows/cost-diff.yml") -> int:
    """Set the status atoll/cost and write the comment for the run in $GITHUB_EVENT_PATH.

    Reads GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_STEP_SUMMARY. Exit code 1 where GitHub
    does not take the status; a comment that is not allowed goes to the step summary.
    """
    from cli.pages.diff.markdown import render_comment  # noqa: PLC0415 - only this command posts
    from operations.code_hosts.github_report import post  # noqa: PLC0415 - only this command posts

    posted = post(_event(), github=_github(), render=render_comment, workflow=workflow, target=_run_url())
    _summarize(posted.comment or posted.words)
    show(posted.words)
    return 0


@app.command("gitlab")
def gitlab() -> int:
    """Write a note and the status atoll/cost for every open merge request whose cost job has ended.

    Reads ATOLL_GITLAB_TOKEN, CI_API_V4_URL, CI_PROJECT_ID and CI_DEFAULT_BRANCH.
    """
    from cli.pages.diff.markdown import render_comment  # noqa: PLC0415 - as above
    from operations.code_hosts import gitlab as host  # noqa: PLC0415 - only this command posts

    project = _environment("CI_PROJECT_ID")
    if not project.isdecimal():
        raise InputError(f"CI_PROJECT_ID is {project!r}, not a number")
    opened = host.gitlab(
        root=_environment("CI_API_V4_URL"),
        token=_environment("ATOLL_GITLAB_TOKEN"),
        project=int(project),
        branch=_environment("CI_DEFAULT_BRANCH"),
    )
    for line in host.post_all(opened, render=render_comment):
        show(line)
    return 0


@app.command("issues")
def issues(folder: Folder) -> int:
    """Open, update or close one issue for each stack that `atoll watch` looked at."""
    from operations.code_hosts.github_report import keep  # noqa: PLC0415 - only this command posts

    found = _read_watch_reports(folder)
    if not found:
        note(f"{folder} holds no reports")
    for line in keep(found, github=_github()):
        show(line)
    return 0


def _read_watch_reports(folder: Path) -> list[Watched]:
    """Reports of the watch job: STACK.txt beside STACK.code, from a job with fewer rights than this one."""
    from operations.code_hosts.github_report import Watched  # noqa: PLC0415 - only this command posts

    found: list[Watched] = []
    for path in sorted(folder.glob("*.code")):
        stack, code = path.stem, _text(path, largest=16).strip()
        if not STACK_NAME.fullmatch(stack) or not code.isdecimal():
            raise InputError(f"{path} is no exit code of a stack")
        found.append(
            Watched(stack=stack, exit_code=int(code), report=_text(path.with_suffix(".txt"), largest=LARGEST_REPORT))
        )
    return found


def _text(path: Path, *, largest: int) -> str:
    """The start of a file; "" where it is missing or a link."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(largest).decode("utf-8", "replace")


def _event() -> RunEvent:
    """The event that started this job.

    Raises:
        InputError: there is none, or it is not of a finished run.
    """
    from operations.code_hosts.github import RUN_EVENT  # noqa: PLC0415 - only this command posts

    path = Path(_environment("GITHUB_EVENT_PATH"))
    try:
        return RUN_EVENT.validate_python(read_json(path, most_bytes=LARGEST_EVENT))
    except ValueError as error:
        raise InputError(
            f"{path} is not the event workflow_run", hint="start this in a job `on: workflow_run`"
        ) from error


def _github() -> GitHub:
    from operations.code_hosts.github import BOT, github  # noqa: PLC0415 - only this command posts

    return github(
        root=os.environ.get("GITHUB_API_URL", "https://api.github.com"),
        token=os.environ.get("GITHUB_TOKEN", ""),
        repository=_environment("GITHUB_REPOSITORY"),
        bot=os.environ.get("ATOLL_BOT", "") or BOT,
    )


def _run_url() -> str:
    parts = [os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")]
    return f"{parts[0]}/{parts[1]}/actions/runs/{parts[2]}" if all(parts) else ""


def _summarize(text: str) -> None:
    if path := os.environ.get("GITHUB_STEP_SUMMARY", ""):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


def _environment(name: str) -> str:
    found = os.environ.get(name, "")
    if not found:
        raise InputError(f"{name} is not set", hint="atoll comment runs in a CI job, which sets it")
    return found
