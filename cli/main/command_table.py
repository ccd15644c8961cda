"""The commands by name, their groups in the help, an example of each, and the exit codes of all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


GROUPS: Final = ("Plan", "Build", "Govern", "Operate", "Hand over", "Move")
EXIT_CODES: Final = (
    (0, "ok"),
    (1, "failed, or bad input"),
    (2, "wrong usage"),
    (10, "over the ceiling, or an SLA missed"),
    (11, "undetermined: prices or answers are missing"),
    (12, "prices too old"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEntry:
    """A command, or a group of them.

    Args:
        name: what is typed.
        group: heading above it in `atoll --help`.
        summary: first sentence of its help, so that the overview imports no command.
        examples: a command line for it, or for each command of the group, without "atoll NAME".
        is_group: whether it has commands of its own.
        file: of `cli/commands` that holds it, behind its folder.
    """

    name: str
    group: str
    summary: str
    examples: tuple[str, ...]
    is_group: bool
    file: str

    @property
    def module(self) -> str:
        return f"cli.commands.{self.file}"

    @property
    def function(self) -> str:
        return "app" if self.is_group else f"run_{self.name.replace('-', '_')}"


def _entry(
    group: str, name: str, summary: str, *examples: str, file: str, is_group: bool = False
) -> tuple[str, CommandEntry]:
    entry = CommandEntry(name=name, group=group, summary=summary, examples=examples, is_group=is_group, file=file)
    return name, entry


_group = partial(_entry, is_group=True)

COMMANDS: Final = dict(
    (
        _entry(
            "Plan",
            "init",
            "Write a first checklist, from answers or an example.",
            "acme --from demo",
            file="checklist.init",
        ),
        _entry("Plan", "check", "Say what a checklist demands, or every fault in it.", "demo", file="checklist.check"),
        _entry(
            "Plan",
            "quote",
            "Show three to five priced options of a checklist.",
            "demo --html quote.html",
            file="quoting.quote",
        ),
        _entry(
            "Plan", "explain", "Show how each figure of the sizing came about.", "demo --json", file="quoting.quote"
        ),
        _entry(
            "Plan", "accept", "Decide for an option: write the stack's lock.", "demo cheapest", file="quoting.accept"
        ),
        _group(
            "Plan",
            "catalog",
            "Look up facts and prices, and check them.",
            "list",
            "show p5.48xlarge",
            "worth --precision fp8",
            "check",
            file="quoting.catalog",
        ),
        _entry(
            "Plan", "schema", "Print the JSON schema of a file or of an output.", "--of quote", file="checklist.schema"
        ),
        _group(
            "Build",
            "engine",
            "Get the engine (Pulumi's CLI and plugins), and see what is here.",
            "install demo",
            "status",
            file="provisioning.engine",
        ),
        _group(
            "Build",
            "software",
            "What is installed on clusters: list it, pin it by digest, copy it.",
            "list demo",
            "images demo --json",
            "lock --renew",
            file="provisioning.software",
        ),
        _entry(
            "Build",
            "preflight",
            "Say of each pool whether its quota, its offer and its reservation fit.",
            "demo",
            file="provisioning.cloud_checks",
        ),
        _entry(
            "Build",
            "plan",
            "Show what the program would build, and its bill.",
            "demo -o plan.json",
            file="provisioning.plan",
        ),
        _entry(
            "Build",
            "preview",
            "Show what the engine would change.",
            "demo --expect-no-changes",
            file="provisioning.engine",
        ),
        _entry("Build", "up", "Create or update the cluster.", "demo --yes", file="provisioning.engine"),
        _entry("Build", "destroy", "Delete everything that is not protected.", "demo", file="provisioning.engine"),
        _entry(
            "Build",
            "leftovers",
            "List what is still there by the stack's tag, with its price.",
            "demo",
            file="provisioning.cloud_checks",
        ),
        _entry(
            "Govern",
            "price",
            "Price a Pulumi preview, an exported stack or a plan.",
            "preview.json --ceiling 25000",
            file="governance.price",
        ),
        _entry(
            "Govern",
            "diff",
            "Compare every stack that a change touches: money, resources and rules.",
            "--base main -o diff.md",
            file="governance.diff",
        ),
        _entry(
            "Govern",
            "rules",
            "List the rules with their levels here, or explain one.",
            "ceiling_layers",
            file="governance.rules",
        ),
        _entry(
            "Govern",
            "watch",
            "Check running stacks against today's prices, their locks and the rules.",
            "demo --state state.json",
            file="governance.watch",
        ),
        _group(
            "Govern",
            "comment",
            "Post a diff to a pull or merge request; for jobs on the default branch.",
            "github",
            "gitlab",
            "issues reports",
            file="governance.diff",
        ),
        _entry(
            "Operate",
            "outputs",
            "Show the outputs of a stack; secrets are masked.",
            "demo -o access/",
            file="provisioning.engine",
        ),
        _entry(
            "Operate",
            "access",
            "Print a kubeconfig that lets one person in for some hours.",
            "demo --user ada --hours 4",
            file="handover.onboarding",
        ),
        _entry(
            "Operate",
            "refresh",
            "Take what is live into the state; nothing in the cloud is changed.",
            "demo -y",
            file="provisioning.engine",
        ),
        _group(
            "Operate",
            "nodes",
            "Nodes that fail: see them, take them out of use, replace them, and keep the log.",
            "list demo",
            "watch demo --once",
            "mend demo ip-10-64-3-7 --because 'Xid 79'",
            "hold demo ip-10-64-3-8",
            "incidents demo -o incidents.md",
            "close demo 2026-11-03-1 --because 'returned to the provider'",
            file="cluster_operations.nodes",
        ),
        _group(
            "Operate",
            "usage",
            "What a stack really used.",
            "import demo focus-2026-10.csv --write",
            file="cluster_operations.usage",
        ),
        _entry(
            "Operate",
            "sla",
            "Show what a month delivered and the credit owed back.",
            "demo --month 2026-10 --from samples.json",
            file="handover.agreements",
        ),
        _entry(
            "Hand over", "contract", "Write the annex of a contract.", "demo -o annex.html", file="handover.agreements"
        ),
        _entry(
            "Hand over",
            "accept-test",
            "Measure a cluster against what was promised, and say which nodes failed.",
            "demo -o report.html",
            file="handover.acceptance",
        ),
        _entry(
            "Hand over",
            "onboard",
            "Show the way from acceptance to the first job, or hand out credentials.",
            "demo -o onboarding/",
            file="handover.onboarding",
        ),
        _entry(
            "Hand over",
            "handbook",
            "Write the handbook of the customer's engineers.",
            "demo -o handbook/",
            file="handover.exports",
        ),
        _entry(
            "Hand over",
            "handover",
            "Write the platform as Argo CD applications, without a secret in them.",
            "demo -o gitops/ --repository https://git.example/acme/platform",
            file="handover.exports",
        ),
        _entry(
            "Move",
            "clone",
            "Make the same checklist a stack of its own at another placement.",
            "demo demo-eu --region eu-west-1",
            file="relocation.clone",
        ),
        _group(
            "Move",
            "relocate",
            "Move a customer to another place: plan it, rehearse it, run it, prove it, take it back.",
            "plan demo demo-eu -o relocation.html",
            "rehearse --objects 2000",
            "run demo demo-eu --until observe",
            "status demo demo-eu",
            "verify demo demo-eu",
            "rollback demo demo-eu",
            "retire demo demo-eu",
            file="relocation.relocate",
        ),
    )
)


def example_of(path: str) -> str:
    """The example of a command, by its words behind "atoll": "quote", "relocate run"; "" for a group."""
    name, _, word = path.partition(" ")
    entry = COMMANDS[name]
    if not word:
        return f"atoll {name} {entry.examples[0]}"
    found = next((each for each in entry.examples if each.split(" ")[0] == word), "")
    return f"atoll {name} {found}" if found else ""


def exit_code_lines() -> tuple[str, ...]:
    return tuple(f"{code:>3}  {meaning}" for code, meaning in EXIT_CODES)


TOOK_A_FILE: Final = frozenset({"accept-test", "clone", "diff", "plan", "relocate", "sla"})  # `--json FILE|-`
JSON: Final = "--json"
STDOUT: Final = "-"
ENDING: Final = ".json"


def rewrite_arguments(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The arguments in today's options, and what to tell whoever wrote yesterday's."""
    if not arguments or arguments[0] not in TOOK_A_FILE:
        return list(arguments), ()
    found: list[str] = []
    remarks: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*found, word, *rest], tuple(remarks)
        value = _value(word, rest)
        if value is None:
            found.append(word)
            continue
        if word == JSON:
            rest.pop(0)
        if value == STDOUT:
            found.append(JSON)
            remarks.append("warning: write --json without a value; it prints to standard output")
        else:
            found += ["--output", value]
            remarks.append(f"warning: write -o {value}; --json takes no file any more and prints to standard output")
    return found, tuple(remarks)


def _value(word: str, rest: Sequence[str]) -> str | None:
    """The file that `--json` names in the old way; None for everything else."""
    if word.startswith(f"{JSON}="):
        return word.partition("=")[2] or None
    if word == JSON and rest and (rest[0] == STDOUT or rest[0].endswith(ENDING)):
        return rest[0]
    return None
