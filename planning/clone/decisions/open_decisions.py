"""Decisions that a clone leaves to a person, from the checklist and the target."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import CloudName, Residency
from planning.clone.decisions.decision import (
    DROP,
    KEEP,
    NONE,
    CloneDecision,
    DecisionChoice,
    Need,
    Path,
    apply_answer,
    replace_value,
    value_at,
)
from planning.clone.decisions.restrictions import (
    list_agreement_decisions,
    machine_decisions,
    promote_forced_decisions,
)
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist, Existing
    from planning.clone.target import Target, TargetMarket

ANY: Final = "any"
OFFERED: Final = (
    "ceiling.usd_per_month",
    "ceiling.usd_per_contract",
    "ceiling.usd_per_gpu_hour",
    "contract.reserve",
    "platform.object_store",
    "platform.sharing",
    "access.vpn",
    "access.ssh",
    "where.no_lock_in",
)
# Fields that are refused without a term (`planning.checklist.rules.money`), and their values then.
WITHOUT_TERM: Final[tuple[tuple[Path, object], ...]] = (
    (("contract", "incentives"), False),
    (("contract", "reserve"), "always_on"),
    (("ceiling", "usd_per_contract"), None),
)


def decisions(checklist: Checklist, *, source: str, target: Target, ground: TargetMarket) -> tuple[CloneDecision, ...]:
    """Every decision of a clone, needed ones first.

    Args:
        source: provider of the source's primary placement.
    """
    found = [
        *_names(checklist),
        *_place(checklist, target=target, ground=ground),
        *_existing(checklist, target=target),
        *machine_decisions(checklist, target=target, ground=ground),
        *_joint(checklist, target=target),
        *_additional_placements(checklist),
        *_terms(checklist),
        *list_agreement_decisions(checklist, source=source, target=target),
        *_list_optional_decisions(checklist),
    ]
    found = [*promote_forced_decisions(found, checklist, target=target)]
    order = list(Need)
    return tuple(sorted(found, key=lambda each: order.index(each.need)))


def _names(checklist: Checklist) -> Iterator[CloneDecision]:
    domain, sso = checklist.where.domain, checklist.access.sso
    if domain is not None:
        yield CloneDecision(
            path="where.domain",
            why=f"two clusters cannot answer to {domain}",
            old=domain,
            choices=(
                DecisionChoice("NAME", f"another DNS name, as in clone.{domain}"),
                DecisionChoice(NONE, "no names of its own for now"),
            ),
            settle=partial(_other, path=("where", "domain"), old=domain),
        )
    if sso is not None:
        yield CloneDecision(
            path="access.sso.client_id",
            why=f"{sso.provider} sends people back to addresses it knows, and the clone's is new",
            old=sso.client_id,
            choices=(
                DecisionChoice(KEEP, "the same client: add the clone's address to its redirect addresses there"),
                DecisionChoice("ID", "a client registered for the clone alone"),
            ),
            settle=partial(apply_answer, path=("access", "sso", "client_id")),
        )


def _place(checklist: Checklist, *, target: Target, ground: TargetMarket) -> Iterator[CloneDecision]:
    where = checklist.where
    if target.provider in where.excluded:
        left = tuple(each for each in where.excluded if each != target.provider)
        yield CloneDecision(
            path="where.excluded",
            why=f"the checklist rules {target.provider} out",
            old=", ".join(where.excluded),
            choices=(DecisionChoice(DROP, f"{target.provider} is no longer ruled out"),),
            settle=lambda each, answer: _word(each, answer, word=DROP, path=("where", "excluded"), value=left),
        )
    lies = ground.region.residency
    if where.residency is not Residency.ANY and lies != where.residency:
        own = [DecisionChoice(lies, "data may lie there from now on")] if lies in set(Residency) else []
        yield CloneDecision(
            path="where.residency",
            why=f"data must lie in {where.residency}, and {target} is "
            + (f"in {lies}" if lies in set(Residency) else "nowhere the price book knows of"),
            old=where.residency.value,
            choices=(*own, DecisionChoice(ANY, "data may lie anywhere")),
            settle=lambda each, answer: _one(each, answer, words=(lies, ANY), path=("where", "residency")),
        )


def _existing(checklist: Checklist, *, target: Target) -> Iterator[CloneDecision]:
    there = checklist.where.existing
    if there is not None:
        place = (target.provider, target.region)
        yield _cluster("where.existing", there, path=("where", "existing"), place=place)
    for at, each in enumerate(checklist.where.elsewhere):
        if each.existing is not None:
            path = ("where", "elsewhere", at, "existing")
            place = (each.existing.provider.value, each.existing.region)
            yield _cluster(f"where.elsewhere.{each.name}.existing", each.existing, path=path, place=place)


def _cluster(name: str, there: Existing, *, path: Path, place: tuple[str, str]) -> CloneDecision:
    shown = f"{there.kubeconfig_env}/{there.context}" if there.context else there.kubeconfig_env

    def settle(checklist: Checklist, answer: str) -> Checklist:
        if answer == NONE:
            return replace_value(checklist, path, None)
        variable, _, context = answer.partition("/")
        if answer == shown:
            raise InputError(f"{shown} is the source's own cluster", hint="two stacks may not install into one cluster")
        value = {"provider": place[0], "region": place[1], "kubeconfig_env": variable, "context": context or None}
        return replace_value(checklist, path, value)

    return CloneDecision(
        path=name,
        why=f"the cluster behind {shown} exists, stays where it is and belongs to the source",
        old=shown,
        choices=(
            DecisionChoice(
                "VARIABLE/CONTEXT", f"another cluster that exists at {' '.join(place)}: its kubeconfig's variable"
            ),
            DecisionChoice(NONE, "a cluster is built, or ordered at the provider"),
        ),
        settle=settle,
    )


def _joint(checklist: Checklist, *, target: Target) -> Iterator[CloneDecision]:
    # Two clouds whose networks Atoll builds are not connected (`planning.quoting.assembly.network.link`).
    main = checklist.main_cloud
    if main is None or main.vpc_id is None or main.provider == target.provider:
        return
    if not find_traits(target.provider).vpn_machine or checklist.where.existing is not None:
        return
    yield CloneDecision(
        path="main_cloud.vpc_id",
        why=f"no private connection is built between {main.provider} and {target.provider}: people connect by VPN, "
        "data crosses the internet",
        old=main.vpc_id,
        choices=(
            DecisionChoice(KEEP, "the main VPC stays named; the option says that it is not connected"),
            DecisionChoice(NONE, "no VPC is named, and no connection is expected"),
        ),
        settle=_disconnect_main_cloud,
        need=Need.ASSUMED,
        assumed=KEEP,
    )


def _disconnect_main_cloud(checklist: Checklist, answer: str) -> Checklist:
    if answer == KEEP:
        return checklist
    _refuse_other(answer, (KEEP, NONE))
    for name, value in (("vpc_id", None), ("vpc_cidr", None), ("route_table_ids", ()), ("peering_per_month", None)):
        checklist = replace_value(checklist, ("main_cloud", name), value)
    return replace_value(checklist, ("usage", "peering"), None)


def _additional_placements(checklist: Checklist) -> Iterator[CloneDecision]:
    for at, each in enumerate(checklist.where.elsewhere):
        if each.existing is None:
            there = " ".join((*each.wanted, *each.regions)) or ANY
            yield CloneDecision(
                path=f"where.elsewhere.{each.name}",
                why=f"{each.name} is an additional placement, which need not move; the clone gets a cluster of its own",
                old=there,
                choices=(
                    DecisionChoice(KEEP, f"where the checklist wants it: {there}"),
                    DecisionChoice("PROVIDER/REGION", "at another place too"),
                ),
                settle=partial(_move_placement, at=at),
                need=Need.ASSUMED,
                assumed=KEEP,
            )


def _move_placement(checklist: Checklist, answer: str, *, at: int) -> Checklist:
    if answer == KEEP:
        return checklist
    provider, slash, region = answer.partition("/")
    if not (slash and region and provider in set(CloudName)):
        raise InputError(f'"{answer[:40]}" is no place', hint="write it as aws/us-west-2, or keep")
    wanted = replace_value(checklist, ("where", "elsewhere", at, "wanted"), (provider,))
    return replace_value(wanted, ("where", "elsewhere", at, "regions"), (region,))


def _terms(checklist: Checklist) -> Iterator[CloneDecision]:
    months = checklist.contract.months
    if months:
        yield CloneDecision(
            path="contract.months",
            why=f"the source's term of {months} months continues; the clone's is a new one",
            old=str(months),
            choices=(
                DecisionChoice(KEEP, f"a new contract of {months} months"),
                DecisionChoice("MONTHS", "0, 12, 24 or 36"),
            ),
            settle=partial(_months, path=("contract", "months")),
            need=Need.ASSUMED,
            assumed=KEEP,
        )


def _months(checklist: Checklist, answer: str, *, path: Path) -> Checklist:
    if answer == KEEP:
        return checklist
    if answer == "0":
        for other, value in WITHOUT_TERM:
            checklist = replace_value(checklist, other, value)
    return replace_value(checklist, path, int(answer) if answer.isdecimal() else answer)


def _list_optional_decisions(checklist: Checklist) -> Iterator[CloneDecision]:
    """Fields that may be changed where the target cannot meet the checklist."""
    for path in OFFERED:
        yield _free(path, tuple(path.split(".")), checklist)
    for at, work in enumerate(checklist.workloads):
        if "deadline" in type(work).model_fields:
            yield _free(f"workloads.{work.name}.deadline", ("workloads", at, "deadline"), checklist)


def _free(name: str, path: Path, checklist: Checklist) -> CloneDecision:
    value = value_at(checklist, path)
    return CloneDecision(
        path=name,
        why="no option at the target meets it",
        old=NONE if value is None else str(value),
        choices=(DecisionChoice(KEEP, ""), DecisionChoice("VALUE", "another one"), DecisionChoice(NONE, "none")),
        settle=partial(apply_answer, path=path),
        need=Need.OFFERED,
        assumed=KEEP,
    )


def _other(checklist: Checklist, answer: str, *, path: Path, old: str) -> Checklist:
    if answer in (KEEP, old):
        raise InputError(f"{old} is the source's own", hint="another name, or none; a relocation switches names")
    return replace_value(checklist, path, None if answer == NONE else answer)


def _one(checklist: Checklist, answer: str, *, words: tuple[str, ...], path: Path) -> Checklist:
    _refuse_other(answer, words)
    return replace_value(checklist, path, answer)


def _word(checklist: Checklist, answer: str, *, word: str, path: Path, value: object) -> Checklist:
    _refuse_other(answer, (word,))
    return replace_value(checklist, path, value)


def _refuse_other(answer: str, words: tuple[str, ...]) -> None:
    if answer not in words:
        raise InputError(f'"{answer[:40]}" is no answer to it', hint=f"one of: {', '.join(words)}")
