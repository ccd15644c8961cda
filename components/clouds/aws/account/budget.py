"""The ceiling as AWS itself watches it: a budget over the stack's tag, which warns, and then stops new machines."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.clouds.aws.account.iam import document, role
from components.context.naming import build_physical_name

if TYPE_CHECKING:
    from decimal import Decimal

    from planning.spec.cluster import Placement

# Percent of the ceiling; AWS takes ten at most (Budgets API 2016-10-20, NotificationWithSubscribersList).
WARN_AT: Final = ((50, "ACTUAL"), (80, "ACTUAL"), (100, "ACTUAL"), (100, "FORECASTED"))
STOP_AT: Final = 100
STOPPED: Final = ("ec2:RunInstances", "ec2:CreateFleet")


@dataclass(frozen=True, kw_only=True)
class BillingBudgetArgs:
    """How much, who hears of it, and whose rights end with it.

    Args:
        usd_per_month: the ceiling.
        email: of the owner.
        autoscaler: role that starts machines; None where nothing is started by itself.
    """

    placement: Placement
    usd_per_month: Decimal
    email: str
    autoscaler: aws.iam.Role | None


@final
class BillingBudget(pulumi.ComponentResource):
    """A monthly budget of everything that carries the stack's tag.

    AWS sees the tag once `atoll:stack` is activated as a cost allocation tag in the account that pays.
    At the ceiling the autoscaler loses the right to start machines. What runs keeps running.
    """

    def __init__(self, name: str, args: BillingBudgetArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region}
        super().__init__("atoll:cluster:Budget", name, facts, opts)
        made = aws.budgets.Budget(
            "ceiling",
            name=build_physical_name(args.placement, "ceiling"),
            budget_type="COST",
            time_unit="MONTHLY",
            limit_amount=str(args.usd_per_month),
            limit_unit="USD",
            cost_filters=[{"name": "TagKeyValue", "values": [f"user:atoll:stack${pulumi.get_stack()}"]}],
            notifications=[
                {
                    "comparison_operator": "GREATER_THAN",
                    "notification_type": kind,
                    "threshold": percent,
                    "threshold_type": "PERCENTAGE",
                    "subscriber_email_addresses": [args.email],
                }
                for percent, kind in WARN_AT
            ],
            opts=pulumi.ResourceOptions(parent=self),
        )
        if args.autoscaler is not None:
            _stop(args, args.autoscaler, budget=made, parent=self)
        self.register_outputs({})


def _stop(
    args: BillingBudgetArgs, autoscaler: aws.iam.Role, *, budget: aws.budgets.Budget, parent: BillingBudget
) -> None:
    """At the ceiling a policy that denies new machines is attached to the autoscaler's role."""
    inside = pulumi.ResourceOptions(parent=parent)
    denied = json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": list(STOPPED), "Resource": "*"}]}
    )
    stop = aws.iam.Policy("no-new-machines", description="Atoll: the ceiling is reached", policy=denied, opts=inside)
    hand, allowed = _hand(autoscaler, stop=stop, parent=parent)
    aws.budgets.BudgetAction(
        "stop",
        budget_name=budget.name,
        action_type="APPLY_IAM_POLICY",
        approval_model="AUTOMATIC",
        notification_type="ACTUAL",
        action_threshold={"action_threshold_type": "PERCENTAGE", "action_threshold_value": STOP_AT},
        definition={"iam_action_definition": {"policy_arn": stop.arn, "roles": [autoscaler.name]}},
        execution_role_arn=hand.arn,
        subscribers=[{"address": args.email, "subscription_type": "EMAIL"}],
        opts=pulumi.ResourceOptions.merge(inside, pulumi.ResourceOptions(depends_on=[allowed])),
    )


def _hand(
    autoscaler: aws.iam.Role, *, stop: aws.iam.Policy, parent: BillingBudget
) -> tuple[aws.iam.Role, aws.iam.RolePolicy]:
    """The role by which AWS Budgets attaches that one policy to that one role, for this account only; its right."""
    account = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=parent)).account_id
    trust = document(
        [
            {
                "Effect": "Allow",
                "Principal": {"Service": "budgets.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"aws:SourceAccount": account}},
            }
        ]
    )
    hand = role("ceiling", trust=trust, parent=parent)
    may = document(
        [
            {
                "Effect": "Allow",
                "Action": ["iam:AttachRolePolicy", "iam:DetachRolePolicy"],
                "Resource": autoscaler.arn,
                "Condition": {"ArnEquals": {"iam:PolicyARN": stop.arn}},
            }
        ]
    )
    allowed = aws.iam.RolePolicy("ceiling", role=hand.id, policy=may, opts=pulumi.ResourceOptions(parent=hand))
    return hand, allowed
