"""Descriptions of security groups and rules, which EC2 refuses over a character it does not know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from operations.offline.program import OfflineRun

# API reference of EC2, CreateSecurityGroup and IpRange, as in botocore's service description (2026-11-21).
ALLOWED = re.compile(r"[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{1,255}")
OF_GROUPS = re.compile(r"aws:(ec2|vpc)/securityGroup.*")


def test_every_security_group_and_rule_is_described_in_characters_that_ec2_takes(aws_run: OfflineRun) -> None:
    described = [each for each in aws_run.resources if OF_GROUPS.match(each.type)]
    assert described
    for each in described:
        text = each.inputs.get("description")
        assert isinstance(text, str), each.urn
        assert ALLOWED.fullmatch(text), f"{each.urn}: {text}"
