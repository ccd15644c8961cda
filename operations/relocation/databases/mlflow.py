"""Asks MLflow's server whether it is there and finds what its database holds; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import requests
from urllib3.exceptions import LocationParseError

from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS: Final = (5, 60)
SEARCHED: Final = 100  # experiments in which runs are looked for


def asked(url: str) -> dict[str, object]:
    """What it answers to its health, to a search for experiments and to one for runs, in figures.

    Raises:
        StepError: it does not answer as it should.
    """
    root = url.rstrip("/")
    try:
        health = requests.get(f"{root}/health", timeout=SECONDS)
        health.raise_for_status()
        found = _rows(_posted(root, "experiments/search", {"max_results": SEARCHED, "view_type": "ALL"}), "experiments")
        ids = [str(each.get("experiment_id")) for each in found]
        runs = (
            _rows(_posted(root, "runs/search", {"experiment_ids": ids, "max_results": SEARCHED}), "runs") if ids else []
        )
        models = _rows(_got(root, "registered-models/search"), "registered_models")
    except (requests.RequestException, LocationParseError) as error:
        answer = error.response if isinstance(error, requests.RequestException) else None
        code = type(error).__name__ if answer is None else answer.status_code
        raise StepError(f"MLflow's server at {root} does not answer as it should: {code}") from error
    return {"experiments": len(found), "runs_seen": len(runs), "registered_models_seen": len(models)}


def _posted(root: str, what: str, body: Mapping[str, str | int | list[str]]) -> dict[str, object]:
    answer = requests.post(f"{root}/api/2.0/mlflow/{what}", json=body, timeout=SECONDS)
    answer.raise_for_status()
    return cast("dict[str, object]", answer.json())


def _got(root: str, what: str) -> dict[str, object]:
    answer = requests.get(f"{root}/api/2.0/mlflow/{what}", params={"max_results": SEARCHED}, timeout=SECONDS)
    answer.raise_for_status()
    return cast("dict[str, object]", answer.json())


def _rows(answer: Mapping[str, object], name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", answer.get(name) or [])
