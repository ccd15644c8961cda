"""A rule of Prometheus as Atoll writes it: alerts with everything a person woken by one needs, and recorded series."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from decimal import Decimal

Severity = Literal["critical", "warning", "info"]
RUNBOOKS: Final = "docs/runbooks"  # of the project that the stack was built with, which has one page per alert
EVERY: Final = "1m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert.

    Args:
        name: in CamelCase; its runbook is the same in kebab-case.
        expr: PromQL that has a result while there is something to do.
        lasting: how long it must have had one, as in "15m"; "0m" at once.
        severity: critical wakes somebody, warning is for the day, info is for who looks.
        summary: one line, with the labels that say where.
        description: what it means and what to do first.
    """

    name: str
    expr: str
    lasting: str
    severity: Severity
    summary: str
    description: str

    @property
    def runbook(self) -> str:
        """File of its page, as in "docs/runbooks/gpu-xid.md"."""
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", self.name).lower()
        return f"{RUNBOOKS}/{words}.md"

    def as_rule(self) -> dict[str, object]:
        return {
            "alert": self.name,
            "expr": self.expr,
            "for": self.lasting,
            "labels": {"severity": self.severity},
            "annotations": {"summary": self.summary, "description": self.description, "runbook": self.runbook},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRule:
    """A series that is computed once, for dashboards and alerts.

    Args:
        name: as in "atoll:node_usd_per_hour".
        labels: added to every result.
    """

    name: str
    expr: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])

    def as_rule(self) -> dict[str, object]:
        rule: dict[str, object] = {"record": self.name, "expr": self.expr}
        return {**rule, "labels": dict(self.labels)} if self.labels else rule


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """Rules that are evaluated together, in order."""

    name: str
    rules: Sequence[Alert | RecordingRule]

    def as_group(self) -> dict[str, object]:
        return {"name": self.name, "interval": EVERY, "rules": [rule.as_rule() for rule in self.rules]}


@dataclass(frozen=True, slots=True, kw_only=True)
class SloTarget:
    """Nodes of one label's value, and when one of them counts as delivered.

    Args:
        pool: what the label says.
        pools: pools of the lock that it stands for; several where machines are labelled and not pools.
        fixed: nodes that must be available at any time, without spares.
        most: nodes that must be available at full demand; equal to `fixed` where nothing scales.
        accelerators: of each node that Kubernetes must offer; 0 for none.
        resource: how kube-state-metrics writes their resource; "" for none.
        fabric: word of machines.csv; "" where nodes of the pool do not need one.
        ports: of the fabric, by node; 0 where unknown.
    """

    pool: str
    pools: tuple[str, ...]
    fixed: int
    most: int
    accelerators: int = 0
    resource: str = ""
    fabric: str = ""
    ports: int = 0

    @property
    def elastic(self) -> bool:
        return self.fixed < self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFacts:
    """What rules depend on, decided.

    Args:
        parts: installed platform parts.
        pool_label: label of nodes, as kube-state-metrics writes it, whose values are the keys of `prices`.
        prices: USD per node-hour by that label's value.
        other_usd_per_month: everything in the bill that is no machine of this cluster.
        ceiling_usd_per_month: None for none.
        teams: namespace to team.
        slo_percent: share of the month that the platform is promised to be up; None for no promise.
        idle_minutes: after which a notebook is stopped.
        gpu_pools: values of that label of nodes with accelerators.
        owed: availability target of every value of that label.
        shared_tiers: storage tiers that are file systems which many pods share.
    """

    parts: frozenset[str]
    pool_label: str
    prices: Mapping[str, Decimal]
    other_usd_per_month: Decimal
    ceiling_usd_per_month: Decimal | None
    teams: Mapping[str, str]
    slo_percent: Decimal | None
    idle_minutes: int
    gpu_pools: Sequence[str]
    owed: Sequence[SloTarget] = ()
    shared_tiers: Sequence[str] = ()

    def has_all(self, needs: Collection[str]) -> bool:
        """Whether the cluster has everything that an entry of a table needs: platform parts, or one of these."""
        there = {
            "gpus": bool(self.gpu_pools),
            "teams": bool(self.teams),
            "prices": bool(self.prices),
            "ceiling": self.ceiling_usd_per_month is not None,
            "slo": self.slo_percent is not None,
        }
        return all(there.get(each, each in self.parts) for each in needs)

    def fill(self, text: str) -> str:
        """A text of a table with figures of the cluster in it."""
        figures = {
            "@idle_minutes@": f"{self.idle_minutes}",
            "@idle_minutes_twice@": f"{2 * self.idle_minutes}",
            "@ceiling@": f"{self.ceiling_usd_per_month or 0:,.0f}",
            "@slo_percent@": f"{self.slo_percent}",
        }
        for word, figure in figures.items():
            text = text.replace(word, figure)
        return text
