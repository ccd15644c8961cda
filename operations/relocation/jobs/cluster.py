"""Opens the cluster that movers run in, over the API that its kubeconfig names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from operations.relocation.cluster.client import api_of
from operations.relocation.jobs.runs import JobRuns
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.config.endpoints import Side


def opened_runs(side: Side, secrets: Mapping[str, str], *, words: str) -> JobRuns:
    """Jobs of a side's cluster.

    Args:
        words: which cluster it is, for messages.

    Raises:
        StepError: the side names no kubeconfig, or what it names is none.
    """
    variable = side.kubeconfig_env or ""
    named = secrets.get(variable) or os.environ.get(variable, "")
    hint = f"kubeconfig_env of the {words} names the variable with its kubeconfig"
    if not named:
        raise StepError(
            f"movers run in the cluster of the {words}: {variable or 'its kubeconfig'} is not set", hint=hint
        )
    return JobRuns(api_of(named, side, words=words, hint=hint))
