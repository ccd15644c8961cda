"""What goes out to Google Cloud and what becomes of each answer, through the SDK's own clients; nobody is asked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import google.auth
import grpc
import pytest
import requests
from google.api_core import grpc_helpers
from google.api_core.retry import retry_base, retry_unary
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import AuthorizedSession
from google.cloud import asset_v1, compute_v1
from samples import STACK, asked, cluster, placement, pool

from operations.clouds.gcp import placement as gcp
from operations.clouds.gcp.client import SCOPES, WAIT_SECONDS, GoogleProject, google_of

REST = "https://compute.googleapis.com/compute/v1/projects/p"
ZONE = f"{REST}/zones/us-central1-a"
RESPONSE: Any = asset_v1.SearchAllResourcesResponse
PLACE = placement(provider="gcp", region="us-central1", zones=(), target="gcp")
CLIENTS = (
    compute_v1.RegionsClient,
    compute_v1.MachineTypesClient,
    compute_v1.ReservationsClient,
    compute_v1.InstancesClient,
    compute_v1.DisksClient,
    compute_v1.RoutersClient,
    compute_v1.ForwardingRulesClient,
    asset_v1.AssetServiceClient,
)


@dataclass
class Wire:
    """Answers what Compute Engine would, by the end of the path; {} for the rest."""

    answers: dict[str, Any] = field(default_factory=dict)
    every: Any = field(default_factory=dict[str, Any])
    sent: list[tuple[str, dict[str, str], int]] = field(default_factory=list)

    def request(self, _method: str, url: str, *, params: Any, timeout: float, **_: Any) -> requests.Response:
        self.sent.append((url.removeprefix(REST), dict(params), math.ceil(timeout)))
        answer: Any = next((each for end, each in self.answers.items() if url.endswith(end)), self.every)
        if isinstance(answer, list):
            answer = cast("list[Any]", answer).pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body = cast("tuple[int, Any]", answer if isinstance(answer, tuple) else (200, answer))
        response = requests.Response()
        response.status_code = status
        response.raw = BytesIO(body if isinstance(body, bytes) else json.dumps(body).encode())
        response.request = requests.Request("GET", url).prepare()
        return response


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    made = Wire()

    def request(_: AuthorizedSession, *words: Any, **more: Any) -> requests.Response:
        return made.request(*words, **more)

    monkeypatch.setattr(AuthorizedSession, "request", request)
    return made


@pytest.fixture
def inventory(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Pages of the asset inventory; each request is put behind them as it was sent."""
    pages: list[Any] = []

    def unary(path: str, *, request_serializer: Any, response_deserializer: Any, **_: Any) -> Callable[..., Any]:
        def call(request: Any, **_: Any) -> Any:
            sent: Any = asset_v1.SearchAllResourcesRequest.deserialize(request_serializer(request))
            pages.append((path, sent.scope, sent.query, sent.page_token))
            return response_deserializer(RESPONSE.serialize(pages.pop(0)))

        return call

    def channel(*_: object, **__: object) -> SimpleNamespace:
        return SimpleNamespace(unary_unary=unary, close=lambda: None)

    monkeypatch.setattr(grpc_helpers, "create_channel", channel)
    monkeypatch.setattr(grpc, "intercept_channel", channel)
    return pages


PROJECT = GoogleProject("p", AnonymousCredentials())


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_each_client_takes_the_scope_that_is_asked_for(client: Any) -> None:
    assert set(SCOPES) <= set(client.get_transport_class().AUTH_SCOPES)


def test_quotas_offers_and_reservations_are_asked_for_and_read(wire: Wire) -> None:
    quota = {"metric": "NVIDIA_L4_GPUS", "limit": 4.0, "usage": 1.0}
    properties = {"machineType": "g2-standard-12"}
    held = {"name": "ours", "status": "READY", "zone": ZONE, "deleteAtTime": "2027-01-02T03:04:05.000-07:00"}
    held |= {"specificReservation": {"count": "2", "instanceProperties": properties}, "ofTomorrow": {"a": 1}}
    wire.answers = {
        "/regions/us-central1": {"quotas": [quota, {"metric": "OF_TOMORROW", "limit": 1}], "zones": [ZONE]},
        "/machineTypes/g2-standard-12": {"name": "g2-standard-12"},
        "/machineTypes/a2-highgpu-1g": (404, {"error": {"message": "not found"}}),
        "/aggregated/reservations": [
            {"items": {"zones/a": {"warning": {"code": "NO_RESULTS_ON_PAGE"}}}, "nextPageToken": "next"},
            {"items": {"zones/b": {"reservations": [held]}}},
        ],
    }
    pools = (pool("serve", machine="g2-standard-12"), pool("train", machine="a2-highgpu-1g"))
    told = gcp.read_project_capacity(
        PROJECT, asked(cluster(placement=PLACE, pools=pools), reservations={"serve": "ours"})
    )
    assert {name: getattr(each, "limit", None) for name, each in told.quotas.items()} == {
        "NVIDIA_L4_GPUS": 4,
        "OF_TOMORROW": 1,
    }
    assert {name: getattr(each, "zones", None) for name, each in told.offers.items()} == {
        "g2-standard-12": ("us-central1-a",),
        "a2-highgpu-1g": (),
    }
    ours = told.reservations["ours"]
    assert (getattr(ours, "count", 0), getattr(ours, "machine", ""), str(getattr(ours, "ends", ""))) == (
        2,
        "g2-standard-12",
        "2027-01-02",
    )
    named = {"filter": 'name = "ours"'}
    assert [each for each in wire.sent if "reservations" in each[0]] == [
        ("/aggregated/reservations", named, WAIT_SECONDS),
        ("/aggregated/reservations", {**named, "pageToken": "next"}, WAIT_SECONDS),
    ]
    assert {timeout for _, _, timeout in wire.sent} == {WAIT_SECONDS}


def test_what_is_left_is_found_by_label_page_after_page(wire: Wire, inventory: list[Any]) -> None:
    ours = "https://x/networks/atoll-demo"
    machine = {"name": "up", "status": "RUNNING", "machineType": f"{ZONE}/machineTypes/g2-standard-12"}
    wire.answers = {
        "/aggregated/instances": [{"items": {"zones/a": {"instances": [machine]}}}, {}],
        "/aggregated/disks": [{}, {"items": {"zones/a": {"disks": [{"name": "d", "sizeGb": "10", "type": "x/pd"}]}}}],
        "/regions/us-central1/routers": [
            {"items": [{"name": "r", "network": ours, "nats": [{"name": "n"}]}], "nextPageToken": "more"},
            {"items": [{"name": "r2", "network": ours}]},
        ],
        "/regions/us-central1/forwardingRules": {"items": [{"name": "f", "network": ours}]},
    }
    bucket = asset_v1.ResourceSearchResult(asset_type="storage.googleapis.com/Bucket", display_name="cold")
    inventory += [
        asset_v1.SearchAllResourcesResponse(results=[bucket], next_page_token="more"),
        asset_v1.SearchAllResourcesResponse(),
    ]
    search = gcp.search_project(PROJECT, asked(cluster(placement=PLACE)))
    assert search.unanswered == ()
    assert [each.id for each in search.found] == ["up", "d", "r", "r2", "f", "cold"]
    assert [query["filter"] for path, query, _ in wire.sent if path == "/aggregated/instances"] == [
        f'labels.atoll-stack = "{STACK}"',
        f'labels.goog-k8s-cluster-name = "atoll-{STACK}"',
    ]
    path = "/google.cloud.asset.v1.AssetService/SearchAllResources"
    said = ("projects/p", f"labels.atoll-stack={STACK}")
    assert inventory == [(path, *said, ""), (path, *said, "more")]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (requests.exceptions.ReadTimeout("read timed out"), "read timed out"),
        (requests.exceptions.ConnectionError("no route"), "no route"),
        ((200, b"<html>"), "Failed to load JSON: "),
        ((403, {"error": {"message": "not you\nnor anybody"}}), "403 GET "),
        (RefreshError("log in again"), "log in again"),
    ],
)
def test_what_is_no_answer_is_said_in_a_line_and_stops_nothing(
    answer: object, reason: str, wire: Wire, inventory: list[Any]
) -> None:
    wire.every = answer
    inventory.append(asset_v1.SearchAllResourcesResponse())
    assert gcp.read_project_capacity(PROJECT, asked(cluster(placement=PLACE))).silence.startswith(reason)
    search = gcp.search_project(PROJECT, asked(cluster(placement=PLACE)))
    assert [each.what for each in search.unanswered] == ["machines", "disks", "routers", "forwarding rules"]
    assert all(each.reason.startswith(reason) and "\n" not in each.reason for each in search.unanswered)


def test_an_api_that_is_busy_is_asked_again_but_not_for_ten_minutes(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    for module in (retry_base, retry_unary):
        monkeypatch.setattr(module, "time", clock)
    wire.every = (503, {"error": {"message": "busy"}})
    silence = gcp.read_project_capacity(PROJECT, asked(cluster(placement=PLACE))).silence
    assert silence.startswith("Timeout of 20.0s exceeded")
    assert now[0] <= WAIT_SECONDS
    assert len(wire.sent) > 1


def test_an_identity_that_google_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> None:
        raise RefreshError("the pool of identities is gone")

    monkeypatch.setattr(google.auth, "default", refused)
    assert google_of("") == "the pool of identities is gone"
