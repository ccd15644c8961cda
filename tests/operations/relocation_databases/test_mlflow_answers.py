"""Answers of MLflow's server: bounded in size, and said in words where they are refused."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from operations.project import http
from operations.relocation.databases import mlflow
from operations.relocation.runner.step import StepError

URL = "http://mlflow.internal:5000/"
ANSWERS = {
    "/health": b"OK",
    "/api/2.0/mlflow/experiments/search": json.dumps({"experiments": [{"experiment_id": "1"}]}).encode(),
    "/api/2.0/mlflow/runs/search": json.dumps({"runs": [{}, {}]}).encode(),
    "/api/2.0/mlflow/registered-models/search": b"{}",
}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What the server answers, by path; 404 for any other."""
    found = dict(ANSWERS)

    def send(self: HTTPAdapter, request: requests.PreparedRequest, **_: object) -> requests.Response:
        path = (request.path_url or "").partition("?")[0]
        status = 200 if path in found else 404
        body = BytesIO(found.get(path, b""))
        return self.build_response(request, HTTPResponse(body, {}, status, preload_content=False))

    monkeypatch.setattr(HTTPAdapter, "send", send)
    return found


def test_a_server_on_plain_http_is_asked(answers: dict[str, bytes]) -> None:
    assert answers
    assert mlflow.probe_server(URL) == {"experiments": 1, "runs_seen": 2, "registered_models_seen": 0}


@pytest.mark.parametrize("path", ANSWERS)
def test_a_refusal_is_said_with_its_status(answers: dict[str, bytes], path: str) -> None:
    del answers[path]
    with pytest.raises(StepError, match=r"mlflow\.internal:5000 does not answer as it should: 404"):
        mlflow.probe_server(URL)


def test_an_answer_that_is_no_json_is_said(answers: dict[str, bytes]) -> None:
    answers["/api/2.0/mlflow/runs/search"] = b"<html>"
    with pytest.raises(StepError, match="does not answer as it should"):
        mlflow.probe_server(URL)


def test_an_answer_without_an_end_is_refused(answers: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    assert answers
    monkeypatch.setattr(http, "LARGEST", 20)
    with pytest.raises(StepError, match="is longer than"):
        mlflow.probe_server(URL)
