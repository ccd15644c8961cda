"""A budget that Google Cloud itself watches: the stack's ceiling, with a message for whoever listens."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from planning.spec.cluster import Placement

SPENT: Final = (0.5, 0.9, 1.0)
FORECAST: Final = 1.0


@dataclass(frozen=True, kw_only=True)
class BillingBudgetArgs:
    """How much, and on whose account.

    Args:
        ceiling: USD a month; the billing account must be in USD.
        number: the project's number; everything in the project counts.
    """

    placement: Placement
    ceiling: Decimal
    billing_account: str
    number: pulumi.Input[str]
    key_id: pulumi.Input[str]
    labels: Mapping[str, str]


@final
class BillingBudget(pulumi.ComponentResource):
    """A budget and the topic that hears of it. It warns and stops nothing; Google Cloud has no budget that stops.

    Attributes:
        topic: where messages arrive.
    """

    topic: pulumi.Output[str]

    def __init__(self, name: str, args: BillingBudgetArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "ceiling": str(args.ceiling)}
        super().__init__("atoll:cluster:Budget", name, facts, opts)
        topic = gcp.pubsub.Topic(
            "budget",
            name=build_gcp_name(args.placement, "budget"),
            kms_key_name=args.key_id,
            message_storage_policy={"allowed_persistence_regions": [args.placement.region]},
            labels=dict(args.labels),
            opts=pulumi.ResourceOptions(parent=self),
        )
        _budget(args, topic=topic, parent=self)
        self.topic = topic.id
        self.register_outputs({"topic": self.topic})


def _budget(args: BillingBudgetArgs, *, topic: gcp.pubsub.Topic, parent: BillingBudget) -> None:
    rules: list[gcp.billing.BudgetThresholdRuleArgsDict] = [{"threshold_percent": share} for share in SPENT]
    rules.append({"threshold_percent": FORECAST, "spend_basis": "FORECASTED_SPEND"})
    gcp.billing.Budget(
        "budget",
        billing_account=args.billing_account,
        display_name=build_gcp_name(args.placement),
        amount={
            "specified_amount": {
                "currency_code": "USD",
                "units": str(args.ceiling.to_integral_value(rounding=ROUND_FLOOR)),
            }
        },
        budget_filter={
            "projects": [pulumi.Output.concat("projects/", args.number)],
            "calendar_period": "MONTH",
            "credit_types_treatment": "INCLUDE_ALL_CREDITS",
        },
        threshold_rules=rules,
        all_updates_rule={"pubsub_topic": topic.id, "schema_version": "1.0"},
        opts=pulumi.ResourceOptions(parent=parent),
    )
