"""The one table of the rules of a checklist, and everything that breaks one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.rules import (
    agreement,
    hardware,
    money,
    network,
    people,
    placements,
    platform_components,
    provider_limits,
    workloads,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.rules.rule_violation import Rule, RuleViolation

RULES: Final[tuple[Rule, ...]] = (
    workloads.names_unique,
    workloads.work_measured,
    workloads.mfu_measured,
    workloads.deadline_on_spot,
    workloads.checkpoints_leave_time,
    workloads.replicas_in_order,
    workloads.replicas_for_slo,
    workloads.load_is_whole,
    workloads.active_within_all,
    workloads.cache_facts_together,
    workloads.notebooks_have_engineers,
    workloads.batch_asks_something,
    workloads.hot_tier_has_a_node,
    hardware.counts_agree,
    hardware.accelerator_known,
    hardware.form_exists,
    hardware.form_agrees,
    hardware.spot_allowed,
    hardware.reservations_have_term,
    network.providers_consistent,
    network.existing_is_wanted,
    placements.regions_named,
    placements.regions_known,
    placements.homes_known,
    network.peering_complete,
    network.peering_possible,
    network.peering_identities,
    network.networks_apart,
    network.network_fits,
    network.networks_possible,
    network.api_door_narrow,
    network.vpn_has_addresses,
    provider_limits.provider_restrictions_kept,
    money.usage_rises,
    money.usage_has_its_place,
    money.usage_said_once,
    placements.places_named,
    placements.workloads_placed,
    placements.people_at_home,
    placements.ranges_apart,
    people.users_unique,
    people.vpn_addresses_apart,
    people.ssh_has_a_key,
    people.ssh_names_free,
    people.ssh_through_vpn,
    people.users_get_in,
    people.sso_over_https,
    people.sso_complete,
    people.sso_keeps_strangers_out,
    people.sso_names_one_tenant,
    people.sso_tells_groups,
    platform_components.parts_known,
    platform_components.parts_asked_once,
    platform_components.parts_have_their_needs,
    platform_components.removals_include_dependents,
    platform_components.mirror_is_a_place,
    platform_components.slices_named,
    platform_components.store_exists,
    platform_components.one_store,
    platform_components.parts_reach_store,
    platform_components.extra_components_allowed,
    platform_components.one_owner,
    platform_components.sharing_is_ours,
    platform_components.sharing_for_notebooks,
    people.teams_unique,
    people.teams_have_people,
    people.teams_have_workloads,
    people.users_in_teams,
    people.guarantees_fit,
    money.commitments_have_a_term,
    money.ceilings_agree,
    money.busy_month_is_busier,
    money.burst_is_faster,
    agreement.starts_in_our_time,
    agreement.credits_rise,
    agreement.responses_by_urgency,
    agreement.entries_once,
    agreement.speeds_of_tiers,
    agreement.speeds_said,
    agreement.speeds_once,
    agreement.exit_after_fix,
    agreement.upgrade_before_the_end,
    agreement.burn_in_wanted,
)


def find_broken_rules(checklist: Checklist) -> Iterator[RuleViolation]:
    """Everything that the checklist asks for and that cannot be, rule by rule."""
    for rule in RULES:
        yield from rule(checklist)
