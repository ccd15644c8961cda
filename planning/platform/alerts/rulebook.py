"""Every rule of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planning.platform.alerts import availability, cluster, cost, gpu, recording_rules, slo
from planning.platform.alerts.model import Alert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.platform.alerts.model import AlertFacts, RuleGroup


def rule_groups(facts: AlertFacts) -> tuple[RuleGroup, ...]:
    """Recorded series first, then what looks at them."""
    return (
        *recording_rules.groups(facts),
        *gpu.group(facts),
        *cluster.group(facts),
        *cost.group(facts),
        *slo.group(facts),
        *availability.group(facts),
    )


def alerts(facts: AlertFacts) -> Iterator[Alert]:
    for each in rule_groups(facts):
        yield from (rule for rule in each.rules if isinstance(rule, Alert))
