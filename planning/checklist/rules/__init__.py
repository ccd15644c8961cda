"""Rules that look at more than one field of a checklist; each is a small function in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.rules import (
    agreement,
    devices,
    hardware,
    load,
    money,
    parts,
    people,
    place,
    platform,
    profile,
    region,
    spanning,
    teams,
    usage,
    work,
)
from planning.checklist.rules.broken import Broken, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model import Checklist

RULES: Final[tuple[Rule, ...]] = (
    work.names_unique,
    work.work_measured,
    work.mfu_measured,
    work.deadline_on_spot,
    work.checkpoints_leave_time,
    work.replicas_in_order,
    work.replicas_for_slo,
    load.load_is_whole,
    work.active_within_all,
    work.cache_facts_together,
    work.notebooks_have_engineers,
    work.batch_asks_something,
    work.hot_tier_has_a_node,
    hardware.counts_agree,
    hardware.accelerator_known,
    hardware.form_exists,
    hardware.form_agrees,
    hardware.spot_allowed,
    hardware.reserved_allowed,
    place.wanted_not_excluded,
    place.existing_is_wanted,
    region.regions_named,
    region.regions_known,
    region.homes_known,
    place.peering_complete,
    place.peering_possible,
    place.peering_identities,
    place.networks_apart,
    place.network_fits,
    place.networks_possible,
    place.api_door_narrow,
    place.vpn_has_addresses,
    profile.forbidden_at_provider,
    usage.usage_rises,
    usage.usage_has_its_place,
    usage.usage_said_once,
    spanning.places_named,
    spanning.workloads_placed,
    spanning.people_at_home,
    spanning.ranges_apart,
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
    parts.parts_known,
    parts.parts_asked_once,
    parts.parts_have_their_needs,
    parts.left_out_with_what_leans_on_it,
    parts.mirror_is_a_place,
    parts.slices_named,
    platform.store_exists,
    platform.one_store,
    platform.parts_reach_store,
    devices.allowed_by_provider,
    devices.one_owner,
    devices.sharing_is_ours,
    devices.sharing_for_notebooks,
    teams.teams_unique,
    teams.teams_have_people,
    teams.teams_have_workloads,
    teams.users_in_teams,
    teams.guarantees_fit,
    money.reserve_has_a_term,
    money.incentives_have_a_term,
    money.contract_ceiling_has_a_term,
    money.ceilings_agree,
    money.busy_month_is_busier,
    money.burst_is_faster,
    agreement.starts_in_our_time,
    agreement.credits_rise,
    agreement.responses_once,
    agreement.responses_by_urgency,
    agreement.contacts_once,
    agreement.steps_once,
    agreement.speeds_of_tiers,
    agreement.speeds_said,
    agreement.speeds_once,
    agreement.exit_after_fix,
    agreement.exit_has_a_term,
    agreement.upgrade_before_the_end,
    agreement.burn_in_wanted,
)


def broken_rules(checklist: Checklist) -> Iterator[Broken]:
    """Everything that the checklist asks for and that cannot be, rule by rule."""
    for rule in RULES:
        yield from rule(checklist)


__all__ = ["RULES", "Broken", "Rule", "broken_rules"]
