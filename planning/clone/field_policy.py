"""What a clone does with each field of a checklist: one word and one reason for every field there is.

A field that stands in no table below fails a test, so that nobody adds one without saying what a clone makes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class FieldHandling(StrEnum):
    """What becomes of a field."""

    KEPT = "kept"
    DERIVED = "re-derived"
    DECISION = "needs a decision"


@dataclass(frozen=True, slots=True)
class FieldPolicy:
    """What a clone may do with a field, and why."""

    care: FieldHandling
    why: str


WORK: Final = "what the work is does not depend on where it runs"
PEOPLE: Final = "the same people work there"
VOLUME: Final = "as measured or foreseen; look again after a month at the new place"
SIZE: Final = "the same size; what must be provisioned for it is counted anew"
SOFTWARE: Final = "the same software, unless the new place forbids it"
BUSINESS: Final = "agreed with the customer, not with a region"
LIMIT: Final = "the limit stays; where no option keeps it, it is yours to change"
WORKLOAD: Final = (
    "name kind domain frameworks spot tokens samples epochs flops_per_sample samples_per_second measured_on precision "
    "mfu global_batch runs_per_month rollout_vcpus method adapter_share replicas max_replicas scale_to_zero batch "
    "requests_per_second peak_requests_per_second input_tokens output_tokens latency_p95_seconds "
    "context_tokens latency_ms_per_token hours_per_week accelerators_per_engineer memory_per_engineer concurrency "
    "vcpus memory accelerators accelerator_memory hours_per_month"
)
SETTLED: Final = "settled with one provider, which binds no other"
_KEPT: Final[Mapping[str, tuple[str, str]]] = {
    "": (
        "tracker schedulers orchestration operation support support_usd_per_month slo_percent spare_share burn_in",
        WORK,
    ),
    "customer": ("name owner", "the same customer pays"),
    "workloads": (WORKLOAD, WORK),
    "workloads.hardware": ("form count per_node nodes fabric placement_group usd_per_hour_cap", WORK),
    "workloads.model": ("parameters active_parameters layers kv_heads head_dim", WORK),
    "workloads.checkpointing": ("enabled every_minutes stall_seconds", WORK),
    "engineers": ("count ides", PEOPLE),
    "teams": ("name group workloads usd_per_month accelerators", PEOPLE),
    "dataset": ("size files file_count passes_per_day", WORK),
    "traffic": (
        "direction sustained burst egress_per_month egress_per_month_max ingress_per_month logs_per_month",
        VOLUME,
    ),
    "main_cloud": (
        "provider region account vpc_cidr peering_per_month logs_and_metrics",
        "where the customer lives already has not moved",
    ),
    **{f"storage.{tier}": ("size purpose", SIZE) for tier in ("hot", "warm", "cold", "archive")},
    **{f"where.elsewhere.storage.{tier}": ("size purpose", SIZE) for tier in ("hot", "warm", "cold", "archive")},
    "usage": ("measured", VOLUME),
    **{
        f"usage.{meter}": ("low expected high", VOLUME)
        for meter in ("egress", "ingress", "peering", "logs", "growth", "writes", "reads")
    },
    "platform": ("size extra without mirror digests idle_minutes mig_profile handover", SOFTWARE),
    "contract": ("incentives onboarding_usd", BUSINESS),
    "where": ("joined api_cidrs", "asked of every place"),
    "where.elsewhere": ("name workloads", WORK),
    "where.elsewhere.traffic": (
        "direction sustained burst egress_per_month egress_per_month_max ingress_per_month logs_per_month",
        VOLUME,
    ),
    "access.users": ("name email group workloads team ssh_key", PEOPLE),
    "access.sso": ("provider issuer tenant organisation", PEOPLE),
    "ceiling": ("binds", LIMIT),
    "agreement": ("burn_in_hours", BUSINESS),
}
_DERIVED: Final[Mapping[str, str]] = {
    "where.wanted": "the clone is at the provider that was asked for",
    "where.regions": "the clone is in the region that was asked for",
    "where.cidr": "a range that overlaps no network of this project, nor the main VPC",
    "where.elsewhere.cidr": "a range that overlaps no network of this project, nor the main VPC",
}
_DECIDED: Final[Mapping[str, str]] = {
    "workloads.deadline": LIMIT,
    "workloads.hardware.accelerator": "an accelerator asked for by name may not be sold there",
    "workloads.hardware.purchase": "a way to buy that was asked for may not be offered there",
    "main_cloud.vpc_id": "whether a private way to the main VPC can be built depends on both places",
    "main_cloud.route_table_ids": "tables of the main VPC; used where the clone is peered with it",
    "platform.object_store": "not every store can be had at every provider",
    "platform.sharing": "who owns what sets it up differs from provider to provider",
    "contract.months": "a commitment stays where it was signed; the clone begins one of its own",
    "contract.reserve": "a commitment stays where it was signed; the clone begins one of its own",
    "where.excluded": "a provider that was ruled out cannot be the target",
    "where.residency": "data may have to stay out of the new region",
    "where.domain": "two clusters cannot answer to one name",
    "access.vpn": "not every provider's cluster can hold a gateway",
    "access.ssh": "not every provider's nodes have SSH",
    "where.no_lock_in": LIMIT,
    "access.sso.client_id": "the clone's address must be known to the identity provider, or have a client of its own",
    "ceiling.usd_per_month": LIMIT,
    "ceiling.usd_per_contract": LIMIT,
    "ceiling.usd_per_gpu_hour": LIMIT,
    **{
        f"{at}.{name}": why
        for at in ("where.existing", "where.elsewhere.existing")
        for name, why in {
            "provider": "a cluster that exists stays where it is",
            "region": "a cluster that exists stays where it is",
            "kubeconfig_env": "two stacks may not install into one cluster",
            "context": "two stacks may not install into one cluster",
        }.items()
    },
    **{
        f"agreement.{name}": SETTLED
        for name in (
            *("fix_within_days", "exit_after_days", "replace_within_hours", "provider_spares", "upgrade_after_months"),
            *("migration_by", "maintenance_notice_hours", "steps.step", "steps.working_days"),
            *("credits.below_percent", "credits.credit_percent"),
            *("tier_speeds.tier", "tier_speeds.placement", "tier_speeds.read_mb_per_s", "tier_speeds.write_mb_per_s"),
            *("responses.sort", "responses.within_minutes", "responses.weekends"),
            *("contacts.role", "contacts.name", "contacts.email", "contacts.phone"),
        )
    },
    "agreement.starts": "the day on which the work on one cluster begins",
    "where.elsewhere.wanted": "a cluster beside home need not move with it",
    "where.elsewhere.regions": "a cluster beside home need not move with it",
}
TREATMENTS: Final[Mapping[str, FieldPolicy]] = {
    **{
        f"{section}.{name}".removeprefix("."): FieldPolicy(FieldHandling.KEPT, why)
        for section, (names, why) in _KEPT.items()
        for name in names.split()
    },
    **{path: FieldPolicy(FieldHandling.DERIVED, why) for path, why in _DERIVED.items()},
    **{path: FieldPolicy(FieldHandling.DECISION, why) for path, why in _DECIDED.items()},
}


def find_field_policy(pattern: str) -> FieldPolicy:
    """The treatment of a field, or of a section that a checklist does not have."""
    return TREATMENTS.get(pattern, FieldPolicy(FieldHandling.KEPT, "not asked for"))
