"""The commit status of a pull request, and the banner over figures that the pull request itself can change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.values.money import parse_amount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from planning.diff.form import DiffForm

    RenderComment: TypeAlias = Callable[[DiffForm | None, "CommitStatus", str], str]
    """Writes the comment about one commit: the checked diff where there is one, what it comes to, the commit's hash."""


CONTEXT: Final = "atoll/cost"
LONGEST_DESCRIPTION: Final = 140  # of a commit status, GitHub's REST reference
ELSEWHERE: Final = (
    "**These figures come from a pipeline outside this project's control**: a fork's own, or one started by hand. They "
    "are not verified. Have a member run the merge request's pipeline in this project."
)
PATHS_SHOWN: Final = 10
LONGEST_PATH: Final = 120
# Files that the comparison reads and never runs. Whatever else changes can change the figures themselves, or, as a
# stack's configuration, where the engine sends what it knows and which repositories the cluster runs code of.
_READ_ONLY: Final = re.compile(
    r"stacks/[a-z][a-z0-9-]{0,62}/(checklist\.yaml|quote\.lock\.json|software\.lock\.json)"
    r"|docs/.+\.(md|png|svg)|[A-Z]+\.md"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStatus:
    """A commit status and the words above the figures."""

    success: bool
    description: str
    banner: str = ""

    @property
    def state(self) -> str:
        return "success" if self.success else "failure"


def select_verdict_paths(paths: Iterable[str]) -> tuple[str, ...]:
    """Changed paths that can influence the verdict: code, policies, prices, workflows, anything unknown."""
    # Listed is what is harmless: a path that nobody thought of counts as one that can judge.
    return tuple(sorted({path for path in paths if not _READ_ONLY.fullmatch(path)}))


def list_verdict_files(form: DiffForm) -> tuple[str, ...]:
    """Changed files that the diff itself lists as parts of the verdict."""
    return tuple(row["path"] for row in form["judge_changes"])


def list_raised_ceilings(form: DiffForm) -> tuple[str, ...]:
    """Ceilings that the change raises, each as "stack: what"."""
    return tuple(
        f"{stack['stack']}: {row['what']}" for stack in form["stacks"] for row in stack["ceilings"] if row["raised"]
    )


def context(branch: str, *, default: str) -> str:
    """Name of the status of a change into a branch."""
    # Each branch has limits of its own: a pass for one must not be taken for a pass for another.
    return CONTEXT if branch == default else f"{CONTEXT} ({branch})"


def build_status(
    form: DiffForm, *, touched: tuple[str, ...], complete: bool, approved: bool, elsewhere: bool = False
) -> CommitStatus:
    """The status of a checked diff.

    Args:
        touched: changed paths that can influence the verdict.
        complete: whether every changed path is known.
        approved: whether a member with write access approved exactly this commit.
        elsewhere: whether the author of the change controls the pipeline, as in a fork's own project.
    """
    lifted = list_raised_ceilings(form)
    alarms: list[str] = [ELSEWHERE] if elsewhere else []
    if touched or not complete:
        alarms.append(_self_judged(touched, complete=complete))
    if lifted:
        alarms.append("**This change raises its own ceiling** (" + ", ".join(map(code, lifted[:PATHS_SHOWN])) + ").")
    verdict = _verdict(form)
    if not alarms:
        return CommitStatus(success=form["exit_code"] == 0, description=verdict)
    why = "changes its own checks" if touched or not complete or elsewhere else "raises its own ceiling"
    if approved:
        banner = _caution([*alarms, "A member approved exactly this commit, so the verdict counts."])
        return CommitStatus(
            success=form["exit_code"] == 0, description=f"{verdict}; it {why}, approved"[:140], banner=banner
        )
    wanted = "The status stays failed until a member with write access approves exactly this commit."
    return CommitStatus(
        success=False,
        description=f"{why}, not approved; {verdict}"[:LONGEST_DESCRIPTION],
        banner=_caution([*alarms, wanted]),
    )


def build_unreadable_status(reason: str) -> CommitStatus:
    """The status where there is no diff to show."""
    return CommitStatus(
        success=False,
        description=f"no figures: {reason}"[:LONGEST_DESCRIPTION],
        banner=_caution(
            [
                f"**There are no figures for this change**: {code(reason)}.",
                "See the log of the job; a change without readable figures does not pass.",
            ]
        ),
    )


def code(text: str) -> str:
    """Untrusted text as inline code, from which no Markdown, mention or HTML can escape."""
    plain = "".join(each if each.isprintable() and each != "`" else "\ufffd" for each in text)
    return f"`{plain[:LONGEST_PATH]}`"


def _self_judged(touched: tuple[str, ...], *, complete: bool) -> str:
    shown = ", ".join(map(code, touched[:PATHS_SHOWN]))
    more = f" and {len(touched) - PATHS_SHOWN} more" if len(touched) > PATHS_SHOWN else ""
    listed = f" ({shown}{more})" if touched else ""
    rest = "" if complete else " The list of changed files is cut short, so anything may be among them."
    return f"**This change edits its own checks**{listed}.{rest} The figures below are not verified."


def _verdict(form: DiffForm) -> str:
    words = {
        "within": "within every ceiling",
        "over": "over a ceiling, or a policy fails",
        "undetermined": "undetermined",
        "failed": "a stack failed",
    }
    moved = form["delta"]
    amount = parse_amount(moved["usd_per_month"]["expected"]) if moved is not None else None
    figure = "" if amount is None else f", {amount:+.2f} USD a month"
    return f"{words[form['verdict']]}{figure}"


def _caution(lines: list[str]) -> str:
    """An alert box on GitHub, a quote on GitLab."""
    return "\n".join(["> [!CAUTION]", *(f"> {line}" for line in lines)])


MARKER: Final = "<!-- atoll-diff -->"
LONGEST: Final = 65_536  # characters of a comment's body, GitHub's own message when it refuses a longer one


def is_ours(words: str | None) -> bool:
    """Whether a comment is ours."""
    # At its beginning only: one that quotes the marker further down is somebody else's.
    return (words or "").startswith(MARKER)
