from __future__ import annotations

from policy_kit import Breaking

CASES: tuple[Breaking, ...] = ()
