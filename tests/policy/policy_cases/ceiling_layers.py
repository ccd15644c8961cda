from __future__ import annotations

from policy_kit import Breaking, changed, sound, without

from planning.takeoff.resource import UNKNOWN
from policies.rules.ceiling_layers import BUDGET, GUARD

CASES: tuple[Breaking, ...] = (
    Breaking(what="no guard where quotas reach beyond", stack=lambda: without(sound(), GUARD)),
    Breaking(what="no guard on Google Cloud", stack=lambda: without(sound("gcp"), GUARD)),
    Breaking(what="a budget above the ceiling", stack=lambda: changed(sound(), BUDGET, {"limitAmount": "99999"})),
    Breaking(what="a budget by the year", stack=lambda: changed(sound(), BUDGET, {"timeUnit": "ANNUALLY"})),
    Breaking(what="no budget", stack=lambda: without(sound(), BUDGET)),
    Breaking(
        what="a budget known only later",
        stack=lambda: changed(sound(), BUDGET, {"limitAmount": UNKNOWN}),
        unclear=True,
    ),
)
