"""What the rules say, as JSON forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from typing import Literal

    from planning.diff.policy_form import ExemptionForm, FoundForm
    from policies.evaluation import Found, Report
    from policies.exemptions import Exemption, Standing


def found_forms(report: Report) -> list[FoundForm]:
    """Every breach, in the order of the rules."""
    return [_found_form(each) for each in report.found]


def exemption_forms(report: Report) -> list[ExemptionForm]:
    """Every exemption of the stack with what became of it."""
    return [_exemption_form(exemption, standing) for exemption, standing in report.exemptions]


def _found_form(found: Found) -> FoundForm:
    exemption = found.exemption
    return {
        "rule": found.rule.name,
        "title": found.rule.title,
        "verdict": cast('Literal["over", "cannot tell"]', found.breach.verdict.value),
        "level": cast('Literal["mandatory", "advisory"]', found.level.value),
        "stops": found.stops,
        "sentence": found.sentence,
        "urn": found.breach.urn,
        "path": found.breach.path,
        "exemption": f"{exemption.owner} until {exemption.expires}" if exemption and found.exempt else "",
    }


def _exemption_form(exemption: Exemption, standing: Standing) -> ExemptionForm:
    most = exemption.max_usd_per_month
    return {
        "rule": exemption.rule,
        "resource": exemption.resource,
        "owner": exemption.owner,
        "reason": exemption.reason,
        "expires": exemption.expires.isoformat(),
        "max_usd_per_month": None if most is None else str(most),
        "standing": standing.value,
    }
