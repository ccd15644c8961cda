"""Rules about what the chosen provider's Kubernetes forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from catalogs.providers import FORBIDDABLE, profile
from planning.checklist.model.vocabulary import Purchase
from planning.checklist.model.workload import Inference
from planning.checklist.rules.rule_violation import RuleViolation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from planning.checklist.model.checklist import Checklist, Existing
    from planning.checklist.model.vocabulary import CloudName
    from planning.checklist.model.workload import Workload

    Numbered: TypeAlias = Sequence[tuple[int, Workload]]


def provider_restrictions_kept(checklist: Checklist) -> Iterator[RuleViolation]:
    """What is wanted is not forbidden where a cluster must be, in the primary and in additional placements."""
    where = checklist.where
    moved = frozenset(name for place in where.elsewhere for name in place.workloads)
    at_home = frozenset(each.name for each in checklist.workloads) - moved
    home = _find_only_provider(where.existing, set(where.wanted) - set(where.excluded))
    yield from _report_conflicts(checklist, home, words=WANTS, names=at_home)
    for place in where.elsewhere:
        cloud = _find_only_provider(place.existing, set(place.wanted) - set(where.excluded))
        yield from _report_conflicts(checklist, cloud, words=ELSEWHERE, names=frozenset(place.workloads))


def _report_conflicts(
    checklist: Checklist, cloud: CloudName | None, *, words: Collection[str], names: Collection[str]
) -> Iterator[RuleViolation]:
    if cloud is None:
        return
    forbidden = set(profile(cloud).forbidden) & set(words)
    for word, broken in conflicts(checklist, forbidden, names=names):
        yield RuleViolation(broken.path, f'{broken.message}, and at "{cloud}" {FORBIDDABLE[word]}', broken.hint)


def conflicts(
    checklist: Checklist, forbidden: Collection[str], *, names: Collection[str] | None = None
) -> Iterator[tuple[str, RuleViolation]]:
    """Every field that asks for a forbidden thing, with its word; messages say what is wanted.

    Args:
        names: workloads that are looked at; None for all.
    """
    workloads = [(at, each) for at, each in enumerate(checklist.workloads) if names is None or each.name in names]
    for word, find in WANTS.items():
        if word in forbidden:
            yield from ((word, broken) for broken in find(checklist, workloads))


def _find_only_provider(existing: Existing | None, left: Collection[CloudName]) -> CloudName | None:
    """The one provider a cluster can be at; None while several may be chosen."""
    if existing is not None:
        return existing.provider
    return next(iter(left)) if len(left) == 1 else None


def _autoscaling(_: Checklist, workloads: Numbered) -> Iterator[RuleViolation]:
    for at, workload in workloads:
        if not isinstance(workload, Inference):
            continue
        if workload.requests_per_second is not None:
            message = "as many copies as the load needs come and go with it"
            hint = 'give "replicas" instead of "requests_per_second"'
            yield RuleViolation(("workloads", at, "requests_per_second"), message, hint)
        more = (workload.max_replicas or 0) - (workload.replicas or 1)
        if more > 0:
            message = f"up to {more} copies come with the load"
            yield RuleViolation(
                ("workloads", at, "max_replicas"), message, 'make "replicas" as many, or delete "max_replicas"'
            )


def _spot(_: Checklist, workloads: Numbered) -> Iterator[RuleViolation]:
    for at, workload in workloads:
        hardware = workload.hardware
        if hardware is not None and hardware.purchase is Purchase.SPOT:
            yield RuleViolation(
                ("workloads", at, "hardware", "purchase"), "spot machines are wanted", "delete the line"
            )


def _ssh(checklist: Checklist, _: Numbered) -> Iterator[RuleViolation]:
    if checklist.access.ssh:
        yield RuleViolation(
            ("access", "ssh"), "SSH to nodes is wanted", 'write "ssh: false", or choose another provider'
        )


def _api_ranges(checklist: Checklist, _: Numbered) -> Iterator[RuleViolation]:
    if checklist.where.api_cidrs:
        yield RuleViolation(
            ("where", "api_cidrs"), "the API is to be opened to your offices", 'delete the line, and keep "vpn: true"'
        )


def _vpn(checklist: Checklist, _: Numbered) -> Iterator[RuleViolation]:
    if checklist.access.vpn:
        yield RuleViolation(
            ("access", "vpn"), "a VPN is wanted", 'write "vpn: false", and use the provider\'s own way in'
        )


def _burn_in(checklist: Checklist, _: Numbered) -> Iterator[RuleViolation]:
    if checklist.burn_in:
        yield RuleViolation(("burn_in",), "a burn-in of the accelerators is wanted", 'write "burn_in: false"')


# A GPU operator or a load balancer is never asked for by a field: what installs them reads the profile itself.
WANTS: Final[Mapping[str, Callable[[Checklist, Numbered], Iterator[RuleViolation]]]] = {
    "autoscaling": _autoscaling,
    "spot": _spot,
    "ssh": _ssh,
    "api_ranges": _api_ranges,
    "vpn": _vpn,
    "burn_in": _burn_in,
}
# People come in at home, so ways in matter there alone.
ELSEWHERE: Final = ("autoscaling", "spot", "burn_in")
