from __future__ import annotations

import json

from policy_kit import Breaking, sound

from policies.stack_context import StackContext
from policy_cases._plain import plain

POLICY = "aws:iam/rolePolicy:RolePolicy"
NAMED = "forwarding-logs"


def allowed(**statement: object) -> StackContext:
    """The example with a statement that allows something in one document."""
    document = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})
    return plain(sound(), POLICY, {"policy": document}, name=NAMED)


CASES = (
    Breaking(what="every action", stack=lambda: allowed(Action="*", Resource="*")),
    Breaking(what="every action of a service", stack=lambda: allowed(Action=["s3:GetObject", "iam:*"], Resource=["*"])),
    Breaking(what="all actions but one", stack=lambda: allowed(NotAction="iam:PassRole", Resource="*")),
    Breaking(
        what="every action on one machine",
        stack=lambda: allowed(Action="*", Resource="arn:aws:ec2:us-east-1:111122223333:instance/i-1"),
    ),
)
