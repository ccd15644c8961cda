"""The stack's ceiling as a Google Cloud budget with a Pub/Sub topic."""

from __future__ import annotations

from decimal import ROUND_FLOOR
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name, labels

if TYPE_CHECKING:
    from decimal import Decimal

    from components.context.placement import PlacementContext

SPENT: Final = (0.5, 0.9, 1.0)
FORECAST: Final = 1.0


@final
class BillingBudget(pulumi.ComponentResource):
    """A budget and the topic of its warnings. It stops nothing: Google Cloud has no budget that does."""

    topic: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        usd_per_month: Decimal,
        billing_account: str,
        number: pulumi.Input[str],
        key_id: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        """A budget of the whole project (`number`); `billing_account` must be in USD."""
        super().__init__("atoll:cluster:Budget", name, site.describe(ceiling=str(usd_per_month)), opts)
        placement, inside = site.placement, pulumi.ResourceOptions(parent=self)
        topic = gcp.pubsub.Topic(
            "budget",
            name=build_gcp_name(placement, "budget"),
            kms_key_name=key_id,
            message_storage_policy={"allowed_persistence_regions": [placement.region]},
            labels=labels(site.spec),
            opts=inside,
        )
        units = str(usd_per_month.to_integral_value(rounding=ROUND_FLOOR))
        gcp.billing.Budget(
            "budget",
            billing_account=billing_account,
            display_name=build_gcp_name(placement),
            amount={"specified_amount": {"currency_code": "USD", "units": units}},
            budget_filter={
                "projects": [pulumi.Output.concat("projects/", number)],
                "calendar_period": "MONTH",
                "credit_types_treatment": "INCLUDE_ALL_CREDITS",
            },
            threshold_rules=[
                *({"threshold_percent": share} for share in SPENT),
                {"threshold_percent": FORECAST, "spend_basis": "FORECASTED_SPEND"},
            ],
            all_updates_rule={"pubsub_topic": topic.id, "schema_version": "1.0"},
            opts=inside,
        )
        self.topic = topic.id
        self.register_outputs({"topic": self.topic})
