"""Rules about hardware that is asked for directly: an ask that no set of nodes can meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import accelerators
from planning.checklist.model.vocabulary import Purchase
from planning.checklist.model.workload import Compute
from planning.checklist.rules.rule_violation import RuleViolation
from planning.inputs.faults import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import HardwareAsk

_FORMS: Final = ("SXM", "PCIe", "NVL", "OAM")


def counts_agree(checklist: Checklist) -> Iterator[RuleViolation]:
    """Accelerators in all, per node, and nodes are one multiplication."""
    for at, ask in _asks(checklist):
        if ask.count is None:
            continue
        message = _disagreement(ask.count, per_node=ask.per_node, nodes=ask.nodes)
        if message:
            hint = "count = nodes x per_node; give two of the three"
            yield RuleViolation(("workloads", at, "hardware", "count"), message, hint)


def _disagreement(count: int, *, per_node: int | None, nodes: int | None) -> str:
    if per_node and nodes and per_node * nodes != count:
        return f"{nodes} nodes of {per_node} are {per_node * nodes} accelerators, not {count}"
    if per_node and count % per_node:
        return f"{count} accelerators do not make whole nodes of {per_node}"
    if nodes and count % nodes:
        return f"{count} accelerators cannot be shared equally by {nodes} nodes"
    return ""


def accelerator_known(checklist: Checklist) -> Iterator[RuleViolation]:
    """An accelerator that is asked for, or was measured on, is one of the catalog."""
    for at, job in enumerate(checklist.workloads):
        if job.hardware is not None and job.hardware.accelerator is not None:
            yield from _unknown(job.hardware.accelerator, path=("workloads", at, "hardware", "accelerator"))
        if isinstance(job, Compute) and job.measured_on is not None:
            yield from _unknown(job.measured_on, path=("workloads", at, "measured_on"))


def _unknown(name: str, *, path: tuple[str | int, ...]) -> Iterator[RuleViolation]:
    families = list(dict.fromkeys(each.family for each in accelerators()))
    known = [*families, *(each.name for each in accelerators())]
    if name in known:
        return
    near = nearest(name, known)
    hint = f'did you mean "{near}"?' if near else f"one of: {', '.join(families)}"
    yield RuleViolation(path, f'the catalog has no accelerator "{name}"', hint)


def form_exists(checklist: Checklist) -> Iterator[RuleViolation]:
    """A family that is asked for is made in the form that is asked for."""
    for at, ask in _asks(checklist):
        forms = [str(each.form) for each in accelerators() if each.family == ask.accelerator]
        if ask.form is not None and forms and ask.form not in forms:
            message = f"the catalog has no {ask.accelerator} in the form {ask.form}"
            hint = f"there it is {' or '.join(dict.fromkeys(forms))}"
            yield RuleViolation(("workloads", at, "hardware", "form"), message, hint)


def form_agrees(checklist: Checklist) -> Iterator[RuleViolation]:
    """The accelerator's name already says its form."""
    for at, ask in _asks(checklist):
        named = next((form for form in _FORMS if f"-{form}-" in f"{ask.accelerator}-"), None)
        if ask.form is not None and named is not None and named != ask.form:
            message = f"{ask.accelerator} is {named}, not {ask.form}"
            yield RuleViolation(("workloads", at, "hardware", "form"), message, 'delete "form", the name says it')


def spot_allowed(checklist: Checklist) -> Iterator[RuleViolation]:
    """Only spot machines will do, and spot machines are not allowed."""
    for at, ask in _asks(checklist):
        if ask.purchase is Purchase.SPOT and not checklist.workloads[at].spot:
            path = ("workloads", at, "hardware", "purchase")
            yield RuleViolation(
                path, "only spot machines will do here, but spot is false", 'write "spot: true" for this workload'
            )


def reservations_have_term(checklist: Checklist) -> Iterator[RuleViolation]:
    """Reserved machines need a term to be reserved for."""
    for at, ask in _asks(checklist):
        if ask.purchase is not Purchase.RESERVED:
            continue
        path = ("workloads", at, "hardware", "purchase")
        if checklist.contract.months == 0:
            yield RuleViolation(
                path, "reserved machines need a contract, and there is none", "write contract.months: 12, 24 or 36"
            )
        elif checklist.contract.reserve == "nothing":
            hint = 'write contract.reserve: "always_on" or "all"'
            yield RuleViolation(path, "only reserved machines will do here, but contract.reserve is nothing", hint)


def _asks(checklist: Checklist) -> Iterator[tuple[int, HardwareAsk]]:
    for at, job in enumerate(checklist.workloads):
        if job.hardware is not None:
            yield at, job.hardware
