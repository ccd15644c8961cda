"""The ceiling as an AWS budget over the stack's tag: it warns, and at the ceiling it stops new machines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import build_document, build_statement, create_role, find_account, grant
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from decimal import Decimal

    from components.context.placement import PlacementContext

# Percent of the ceiling; AWS takes ten at most (Budgets API 2016-10-20, NotificationWithSubscribersList).
WARN_AT: Final = ((50, "ACTUAL"), (80, "ACTUAL"), (100, "ACTUAL"), (100, "FORECASTED"))
STOP_AT: Final = 100
STOPPED: Final = ("ec2:RunInstances", "ec2:CreateFleet")


@final
class BillingBudget(pulumi.ComponentResource):
    """A monthly budget of everything with the stack's tag; warnings go to the owner.

    AWS sees the tag once `atoll:stack` is activated as a cost allocation tag in the account that pays.
    At the ceiling the autoscaler loses the right to start machines; running machines continue.
    """

    def __init__(
        self,
        name: str,
        site: PlacementContext,
        *,
        usd_per_month: Decimal,
        autoscaler: aws.iam.Role | None,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("atoll:cluster:Budget", name, site.describe(), opts)
        email = site.spec.customer.owner
        budget = aws.budgets.Budget(
            "ceiling",
            name=build_physical_name(site.placement, "ceiling"),
            budget_type="COST",
            time_unit="MONTHLY",
            limit_amount=str(usd_per_month),
            limit_unit="USD",
            cost_filters=[{"name": "TagKeyValue", "values": [f"user:atoll:stack${pulumi.get_stack()}"]}],
            notifications=[
                {
                    "comparison_operator": "GREATER_THAN",
                    "notification_type": kind,
                    "threshold": percent,
                    "threshold_type": "PERCENTAGE",
                    "subscriber_email_addresses": [email],
                }
                for percent, kind in WARN_AT
            ],
            opts=pulumi.ResourceOptions(parent=self),
        )
        if autoscaler is not None:
            _stop(autoscaler, email=email, budget=budget, parent=self)
        self.register_outputs({})


def _stop(autoscaler: aws.iam.Role, *, email: str, budget: aws.budgets.Budget, parent: BillingBudget) -> None:
    """At the ceiling a policy that denies new machines is attached to the autoscaler's role."""
    inside = pulumi.ResourceOptions(parent=parent)
    denied = json.dumps({"Version": "2012-10-17", "Statement": [build_statement(STOPPED, "*", effect="Deny")]})
    stop = aws.iam.Policy("no-new-machines", description="Atoll: the ceiling is reached", policy=denied, opts=inside)
    # AWS Budgets attaches the policy by a role that may attach that one policy to that one role, for this account only.
    own_account = {"StringEquals": {"aws:SourceAccount": find_account(parent=parent)}}
    budgets = {"Service": "budgets.amazonaws.com"}
    trust = build_document(build_statement("sts:AssumeRole", principal=budgets, condition=own_account))
    executor = create_role("ceiling", trust=trust, parent=parent)
    change = ("iam:AttachRolePolicy", "iam:DetachRolePolicy")
    that_policy = {"ArnEquals": {"iam:PolicyARN": stop.arn}}
    allowed = grant(executor, "ceiling", build_document(build_statement(change, autoscaler.arn, condition=that_policy)))
    aws.budgets.BudgetAction(
        "stop",
        budget_name=budget.name,
        action_type="APPLY_IAM_POLICY",
        approval_model="AUTOMATIC",
        notification_type="ACTUAL",
        action_threshold={"action_threshold_type": "PERCENTAGE", "action_threshold_value": STOP_AT},
        definition={"iam_action_definition": {"policy_arn": stop.arn, "roles": [autoscaler.name]}},
        execution_role_arn=executor.arn,
        subscribers=[{"address": email, "subscription_type": "EMAIL"}],
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[allowed])),
    )
