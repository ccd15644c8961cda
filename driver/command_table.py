"""The commands by name, their groups in the help, an example of each, and the exit codes of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
        module: where it is; imported once the command is asked for.
        function: its function there, or the Typer application of a group.
        group: heading above it in `atoll --help`.
        summary: first sentence of its help, so that the overview imports no command.
        examples: a command line for it, or for each command of the group, without "atoll NAME".
    """

    name: str
    module: str
    function: str
    group: str
    summary: str
    examples: tuple[str, ...]


def _entry(group: str, name: str, module: str, function: str, summary: str, *examples: str) -> tuple[str, CommandEntry]:
    entry = CommandEntry(name=name, module=module, function=function, group=group, summary=summary, examples=examples)
    return name, entry


COMMANDS: Final = dict(
    (
        _entry(
            "Plan",
            "init",
            "driver.commands.init",
            "run_init",
            "Write a first checklist, from answers or an example.",
            "acme --from demo",
        ),
        _entry(
            "Plan",
            "check",
            "driver.commands.check",
            "run_check",
            "Say what a checklist demands, or every fault in it.",
            "demo",
        ),
        _entry(
            "Plan",
            "quote",
            "driver.commands.quote",
            "run_quote",
            "Show three to five priced options of a checklist.",
            "demo --html quote.html",
        ),
        _entry(
            "Plan",
            "explain",
            "driver.commands.explain",
            "run_explain",
            "Show how each figure of the sizing came about.",
            "demo --json",
        ),
        _entry(
            "Plan",
            "accept",
            "driver.commands.accept",
            "run_accept",
            "Decide for an option: write the stack's lock.",
            "demo cheapest",
        ),
        _entry(
            "Plan",
            "catalog",
            "driver.commands.catalog",
            "app",
            "Look up facts and prices, and check them.",
            "list",
            "show p5.48xlarge",
            "worth --precision fp8",
            "check",
        ),
        _entry(
            "Plan",
            "schema",
            "driver.commands.schema",
            "run_schema",
            "Print the JSON schema of a file or of an output.",
            "--of quote",
        ),
        _entry(
            "Build",
            "engine",
            "driver.commands.engine",
            "app",
            "Get the engine (Pulumi's CLI and plugins), and see what is here.",
            "install demo",
            "status",
        ),
        _entry(
            "Build",
            "software",
            "driver.commands.software",
            "app",
            "What is installed on clusters: list it, pin it by digest, copy it.",
            "list demo",
            "images demo --json",
            "lock --renew",
        ),
        _entry(
            "Build",
            "preflight",
            "driver.commands.preflight",
            "run_preflight",
            "Say of each pool whether its quota, its offer and its reservation fit.",
            "demo",
        ),
        _entry(
            "Build",
            "plan",
            "driver.commands.plan",
            "run_plan",
            "Show what the program would build, and its bill.",
            "demo -o plan.json",
        ),
        _entry(
            "Build",
            "preview",
            "driver.commands.preview",
            "run_preview",
            "Show what the engine would change.",
            "demo --expect-no-changes",
        ),
        _entry("Build", "up", "driver.commands.up", "run_up", "Create or update the cluster.", "demo --yes"),
        _entry(
            "Build",
            "destroy",
            "driver.commands.destroy",
            "run_destroy",
            "Delete everything that is not protected.",
            "demo",
        ),
        _entry(
            "Build",
            "leftovers",
            "driver.commands.leftovers",
            "run_leftovers",
            "List what is still there by the stack's tag, with its price.",
            "demo",
        ),
        _entry(
            "Govern",
            "price",
            "driver.commands.price",
            "run_price",
            "Price a Pulumi preview, an exported stack or a plan.",
            "preview.json --ceiling 25000",
        ),
        _entry(
            "Govern",
            "diff",
            "driver.commands.diff",
            "run_diff",
            "Compare every stack that a change touches: money, resources and rules.",
            "--base main -o diff.md",
        ),
        _entry(
            "Govern",
            "rules",
            "driver.commands.rules",
            "run_rules",
            "List the rules with their levels here, or explain one.",
            "ceiling_layers",
        ),
        _entry(
            "Govern",
            "watch",
            "driver.commands.watch",
            "run_watch",
            "Check running stacks against today's prices, their locks and the rules.",
            "demo --state state.json",
        ),
        _entry(
            "Govern",
            "comment",
            "driver.commands.comment",
            "app",
            "Post a diff to a pull or merge request; for jobs on the default branch.",
            "github",
            "gitlab",
            "issues reports",
        ),
        _entry(
            "Operate",
            "outputs",
            "driver.commands.outputs",
            "run_outputs",
            "Show the outputs of a stack; secrets are masked.",
            "demo -o access/",
        ),
        _entry(
            "Operate",
            "access",
            "driver.commands.access",
            "run_access",
            "Print a kubeconfig that lets one person in for some hours.",
            "demo --user ada --hours 4",
        ),
        _entry(
            "Operate",
            "refresh",
            "driver.commands.refresh",
            "run_refresh",
            "Take what is live into the state; nothing in the cloud is changed.",
            "demo -y",
        ),
        _entry(
            "Operate",
            "nodes",
            "driver.commands.nodes",
            "app",
            "Nodes that fail: see them, take them out of use, replace them, and keep the log.",
            "list demo",
            "watch demo --once",
            "mend demo ip-10-64-3-7 --because 'Xid 79'",
            "hold demo ip-10-64-3-8",
            "incidents demo -o incidents.md",
            "close demo 2026-11-03-1 --because 'returned to the provider'",
        ),
        _entry(
            "Operate",
            "usage",
            "driver.commands.usage",
            "app",
            "What a stack really used.",
            "import demo focus-2026-10.csv --write",
        ),
        _entry(
            "Operate",
            "sla",
            "driver.commands.sla",
            "run_sla",
            "Show what a month delivered and the credit owed back.",
            "demo --month 2026-10 --from samples.json",
        ),
        _entry(
            "Hand over",
            "contract",
            "driver.commands.contract",
            "run_contract",
            "Write the annex of a contract.",
            "demo -o annex.html",
        ),
        _entry(
            "Hand over",
            "accept-test",
            "driver.commands.accept_test",
            "run_accept_test",
            "Measure a cluster against what was promised, and say which nodes failed.",
            "demo -o report.html",
        ),
        _entry(
            "Hand over",
            "onboard",
            "driver.commands.onboard",
            "run_onboard",
            "Show the way from acceptance to the first job, or hand out credentials.",
            "demo -o onboarding/",
        ),
        _entry(
            "Hand over",
            "handbook",
            "driver.commands.handbook",
            "run_handbook",
            "Write the handbook of the customer's engineers.",
            "demo -o handbook/",
        ),
        _entry(
            "Hand over",
            "handover",
            "driver.commands.handover",
            "run_handover",
            "Write the platform as Argo CD applications, without a secret in them.",
            "demo -o gitops/ --repository https://git.example/acme/platform",
        ),
        _entry(
            "Move",
            "clone",
            "driver.commands.clone",
            "run_clone",
            "Make the same checklist a stack of its own at another placement.",
            "demo demo-eu --region eu-west-1",
        ),
        _entry(
            "Move",
            "relocate",
            "driver.commands.relocate",
            "app",
            "Move a customer to another place: plan it, rehearse it, run it, prove it, take it back.",
            "plan demo demo-eu -o relocation.html",
            "rehearse --objects 2000",
            "run demo demo-eu --until observe",
            "status demo demo-eu",
            "verify demo demo-eu",
            "rollback demo demo-eu",
            "retire demo demo-eu",
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
    """The exit codes, a line each."""
    return tuple(f"{code:>3}  {meaning}" for code, meaning in EXIT_CODES)
