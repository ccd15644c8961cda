"""What a program registers: the tree of its components, and whether it costs what was accepted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from cli.terminal.amounts import NOT_KNOWN, describe_month, usd, usd_range
from cli.terminal.tables import make_table
from planning.spec.lock import sum_accepted_usd
from planning.values.money import to_cents
from policies.evaluation import ExemptionState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from operations.plans.plan import BillDifference, Planned
    from planning.costs.resources.resource import Resource
    from planning.values.money import Range
    from policies.evaluation import PolicyFinding, PolicyReport


COMPONENT: Final = "atoll:"


def resource_tree(stack: str, resources: Sequence[Resource]) -> Tree:
    children: dict[str | None, list[Resource]] = {}
    for resource in resources:
        children.setdefault(resource.parent, []).append(resource)
    tree = Tree(Text(stack, style="bold"), guide_style="dim")
    _grow(tree, None, children)
    return tree


def verdict_lines(plan: Planned) -> Iterator[str]:
    now, verdict = plan.bill.usd_per_month.expected, plan.judgement
    yield f"{plan.lock.option}: {describe_month(plan.bill)}; {verdict.verdict}: {verdict.reason}"
    then = sum_accepted_usd(plan.lock)
    if to_cents(now) != to_cents(then):
        change = f" ({(now - then) / then * 100:+.1f}%)" if then else ""
        accepted = f"accepted at {usd(then)} USD a month on {plan.lock.priced_at}"
        yield f"{accepted}; today's prices move it by {usd(now - then)}{change}"


def _grow(branch: Tree, parent: str | None, children: dict[str | None, list[Resource]]) -> None:
    """The components below a parent, then counts of everything that is none, with what hangs below it."""
    leaves: Counter[str] = Counter()
    for resource in sorted(children.get(parent, ()), key=lambda each: each.urn):
        if resource.type.startswith(COMPONENT):
            below = branch.add(Text.assemble((resource.name, "bold"), f"  {resource.type}"))
            _grow(below, resource.urn, children)
        else:
            leaves.update(_types(resource, children))
    for token, count in sorted(leaves.items()):
        branch.add(Text(f"{count} x {token}" if count > 1 else token, style="dim"))


def _types(resource: Resource, children: dict[str | None, list[Resource]]) -> Counter[str]:
    found = Counter([resource.type])
    for child in children.get(resource.urn, ()):
        found.update(_types(child, children))
    return found


def counts_line(resources: Sequence[Resource]) -> str:
    types = {resource.type for resource in resources}
    custom = sum(1 for resource in resources if resource.custom)
    return f"{len(resources)} resources of {len(types)} types, {len(resources) - custom} of them components"


def differences_table(differences: Sequence[BillDifference]) -> Table:
    accepted, registered = (f"{side}\nUSD/month, min / exp / max" for side in ("accepted", "registered"))
    rows = ((each.key, _amount(each.bill), _amount(each.takeoff), each.reason) for each in differences)
    return make_table(("line", accepted, registered, "why"), rows, right={accepted, registered})


def _amount(usd: Range | None) -> str:
    return NOT_KNOWN if usd is None else " / ".join(usd_range(usd))


STYLES: Final = {True: "bold red", False: "yellow"}
STOPS: Final = "stops"
ALIKE: Final = 4  # breaches of one rule that are told one by one


def policy_parts(report: PolicyReport, *, rules: int) -> Iterator[RenderableType]:
    if report.found:
        yield _table(report)
    yield from exemption_lines(report)
    for note in report.notes:
        yield Text(note)
    yield _sentence(report, rules=rules)


def exemption_lines(report: PolicyReport) -> Iterator[Text]:
    for exemption, standing in report.exemptions:
        what = f"{exemption.rule}{f' of {exemption.resource}' if exemption.resource else ''}"
        style = "" if standing in {ExemptionState.USED, ExemptionState.UNUSED} else "bold yellow"
        said = f"exemption from {what}: {standing}; {exemption.owner}, until {exemption.expires}: {exemption.reason}"
        yield Text(said, style=style)


def _table(report: PolicyReport) -> Table:
    table = Table("", "policy results", box=SIMPLE_HEAD, pad_edge=False)
    told: Counter[tuple[str, str]] = Counter()
    for each in report.found:
        told[each.rule.name, _word(each)] += 1
        if told[each.rule.name, _word(each)] <= ALIKE:
            table.add_row(Text(_word(each), style=STYLES[each.stops]), Text(each.sentence))
    for (name, word), count in told.items():
        if count > ALIKE:
            table.add_row(Text(word, style=STYLES[word == STOPS]), Text(f"{name}: {count - ALIKE} more, all in --json"))
    return table


def _word(found: PolicyFinding) -> str:
    if found.exempt:
        return "exempt"
    return STOPS if found.stops else found.level.value


def _sentence(report: PolicyReport, *, rules: int) -> Text:
    stopping = len({each.rule.name for each in report.stopping})
    if stopping:
        return Text(f"{stopping} of {rules} rules stop this stack.", style="bold red")
    others = len({each.rule.name for each in report.found})
    return Text(f"{rules} rules checked, none stops this stack{f'; {others} have findings' if others else ''}.")
