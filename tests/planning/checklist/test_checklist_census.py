"""No field of a checklist is dropped in silence: another value changes the quote, or the field is listed with why not.

Values are generated from the model's types. A new field that changes nothing fails here until it is used or listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from census_kit import Leaf, Quotes, changed, every_key, leaves, others, sound, value_at

from planning.checklist.reading.unpriced_fields import RECORDED, UNUSED, find_unused

STACKS = Path(__file__).parents[3] / "stacks"
MOST_TRIES: Final = 40  # quotes of one field before it counts as one that changes nothing
FEW_TRIES: Final = 4
JOB: Final = {"kind": "training", "name": "pretrain", "model": {"parameters": "7B"}, "tokens": "140B", "deadline": "9d"}
RATED: Final = {
    "name": "vision",
    "domain": "computer_vision",
    "samples": "1M",
    "epochs": 90,
    "samples_per_second": 400,
    "measured_on": "H100",
}
COUNTED: Final = {"name": "flops", "domain": "computer_vision", "samples": "5M", "epochs": 3, "flops_per_sample": "2T"}
ASKED: Final = {"accelerator": "H100", "form": "SXM", "nodes": 2, "per_node": 8, "fabric": "any", "usd_per_hour_cap": 9}
CLOSE: Final = {"accelerator": "H100", "fabric": "rdma", "nodes": 4, "per_node": 8}
MODEL: Final = {"parameters": "47B", "active_parameters": "13B", "layers": 32, "kv_heads": 8, "head_dim": 128}
HERE: Final = {"where": {"wanted": ["aws"], "regions": ["us-east-1"]}}
WHO: Final = {"customer": {"name": "acme", "owner": "ml-lead@acme.example"}}
USERS: Final = [
    {"name": "ada", "email": "ada@acme.example", "group": "admin"},
    {"name": "bob", "email": "b@acme.example"},
]
THEIRS: Final = {"provider": "nebius", "region": "us-central1", "context": "theirs"}
ROOM: Final = {"size": "4TB"}
RANGE: Final = {"low": "100GB", "expected": "2TB", "high": "9TB"}


def one(job: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {**WHO, **HERE, "workloads": [{**JOB, **job}], **fields}


def serve(**fields: Any) -> dict[str, Any]:
    return {"kind": "inference", "name": "serve", "model": MODEL, "replicas": 2, "max_replicas": 5, **fields}


EXAMPLES = {path.parent.name: yaml.safe_load(path.read_text()) for path in sorted(STACKS.glob("*/checklist.yaml"))}
BASES: Final[dict[str, dict[str, Any]]] = {
    "trained": one({}, where={}),
    "here": one({"model": MODEL, "checkpointing": {"every_minutes": 30}, "global_batch": 1024}),
    "rated": one(RATED | {"kind": "training", "model": None, "tokens": None, "deadline": None}),
    "counted": one(COUNTED | {"kind": "training", "model": None, "tokens": None, "deadline": None}),
    "rated tuning": one(RATED | {"kind": "fine_tuning", "model": None, "tokens": None, "deadline": None}),
    "counted tuning": one(COUNTED | {"kind": "fine_tuning", "model": None, "tokens": None, "deadline": None}),
    "tuned": one({"kind": "fine_tuning", "method": "lora", "model": MODEL, "checkpointing": {}, "hardware": ASKED}),
    "asked": one({"hardware": ASKED, "spot": True}, contract={"months": 12}),
    "placed close": one({"hardware": {**ASKED, "fabric": "rdma", "nodes": 4}, "deadline": None}),
    "counted machines": one({"hardware": {"accelerator": "H100", "count": 16}, "deadline": None}),
    "served anywhere": {
        **WHO,
        "workloads": [serve(hardware={"accelerator": "A100"})],
        "where": {"wanted": ["gcp", "azure", "nebius", "crusoe"]},
    },
    "served": {
        **WHO,
        **HERE,
        "workloads": [serve(hours_per_week=60, hardware={"accelerator": "L40S"})],
        "slo_percent": 99,
    },
    "batch": {
        **WHO,
        **HERE,
        "workloads": [
            {
                "kind": "batch",
                "name": "score",
                "vcpus": 64,
                "memory": "300GB",
                "hours_per_month": 90,
                "checkpointing": {},
            },
            {
                "kind": "batch",
                "name": "embed",
                "accelerators": 4,
                "accelerator_memory": "20GB",
                "hardware": {"form": "PCIe"},
            },
        ],
    },
    "batch close": {
        **WHO,
        **HERE,
        "workloads": [{"kind": "batch", "name": "b", "accelerators": 32, "hardware": CLOSE}],
    },
    "served by load": {
        **WHO,
        "workloads": [
            {
                "kind": "inference",
                "name": "serve",
                "model": {"parameters": "8B"},
                "requests_per_second": 4,
                "peak_requests_per_second": 40,
                "input_tokens": 1000,
                "output_tokens": 300,
                "latency_p95_seconds": 20,
            }
        ],
    },
    "lab close": {
        **WHO,
        **HERE,
        "workloads": [{"kind": "notebooks", "name": "lab", "hardware": CLOSE}],
        "engineers": {"count": 30},
    },
    "served close": {**WHO, **HERE, "workloads": [serve(max_replicas=2, hardware=CLOSE)]},
    "lab": {
        **WHO,
        **HERE,
        "workloads": [{"kind": "notebooks", "name": "lab", "hardware": {"accelerator": "A100"}}],
        "engineers": {"count": 12, "ides": ["vscode"]},
        "platform": {"sharing": "time_slicing"},
    },
    "cut": {
        **WHO,
        "workloads": [{"kind": "notebooks", "name": "lab", "hardware": {"accelerator": "H100-SXM-80GB"}}],
        "engineers": {"count": 12},
        "where": {"existing": {"provider": "paperspace", "context": "mine"}},
        "platform": {"sharing": "mig", "mig_profile": "all-1g.10gb"},
    },
    "stored": one(
        {"kind": "fine_tuning"},
        storage={"hot": ROOM, "warm": ROOM, "cold": ROOM, "archive": ROOM},
        dataset={"size": "3TB", "files": "huge", "file_count": "1M", "passes_per_day": 3},
        usage=dict.fromkeys(("egress", "ingress", "logs", "growth"), RANGE)
        | {name: {"low": "1M", "expected": "9M", "high": "90M"} for name in ("writes", "reads")}
        | {"measured": "usage import"},
    ),
    "peered": one(
        {},
        main_cloud={
            "provider": "aws",
            "region": "us-east-1",
            "account": "111122223333",
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "vpc_cidr": "10.0.0.0/16",
            "peering_per_month": "2TB",
        },
        traffic={"egress_per_month": "900GB", "egress_per_month_max": "3TB", "sustained": "2Gbps", "burst": "9Gbps"},
        usage={},
    ),
    "peered as measured": one(
        {},
        main_cloud={"provider": "aws", "region": "us-west-2", "vpc_id": "vpc-0a1b2c3d", "vpc_cidr": "10.0.0.0/16"},
        usage={"peering": RANGE},
    ),
    "people": one(
        {},
        access={
            "ssh": True,
            "users": [{**USERS[0], "ssh_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKeyOfAda ada"}, USERS[1]],
            "sso": {"provider": "okta", "client_id": "atoll", "issuer": "https://acme.okta.com"},
        },
        teams=[
            {"name": "vision", "group": "ml-vision", "usd_per_month": 900, "workloads": ["pretrain"]},
            {"name": "speech", "group": "ml-speech", "usd_per_month": 300},
        ],
    ),
    "entra": one({}, access={"users": USERS, "sso": {"provider": "entra", "client_id": "a", "tenant": "acme.example"}}),
    "google": one(
        {}, access={"users": USERS, "sso": {"provider": "google", "client_id": "a", "organisation": "acme.com"}}
    ),
    "guaranteed": {
        **one({"hardware": {"accelerator": "H100", "count": 16}, "deadline": None}),
        "teams": [{"name": "vision", "accelerators": 6}, {"name": "speech", "accelerators": 2}],
        "access": {
            "users": [{**USERS[0], "team": "vision"}, {**USERS[1], "workloads": ["pretrain"], "team": "speech"}]
        },
    },
    "bound": one(
        {},
        contract={"months": 12, "incentives": True, "reserve": "all"},
        ceiling={"usd_per_month": 60000, "usd_per_contract": 700000, "usd_per_gpu_hour": 4},
        support="24x7",
        support_usd_per_month=1000,
        operation="for_us",
    ),
    "two places": {
        **WHO,
        "workloads": [JOB, serve()],
        "where": {
            "wanted": ["aws"],
            "elsewhere": [
                {
                    "name": "far",
                    "workloads": ["serve"],
                    "wanted": ["aws"],
                    "regions": ["us-east-1"],
                    "storage": {"hot": ROOM, "warm": ROOM, "cold": ROOM, "archive": ROOM},
                    "traffic": {"egress_per_month_max": "3TB", "sustained": "2Gbps", "burst": "9Gbps"},
                }
            ],
        },
    },
    "a cluster there is": one(
        {}, where={"existing": {"provider": "nebius", "region": "us-central1", "context": "mine"}}
    ),
    "two clusters": {
        **WHO,
        "workloads": [JOB, serve(max_replicas=2)],
        "where": {
            "elsewhere": [
                {
                    "name": "far",
                    "workloads": ["serve"],
                    "existing": THEIRS,
                }
            ]
        },
    },
}


def at(tree: Any, path: tuple[str | int, ...]) -> bool:
    """Whether a checklist as it was written has a field."""
    for part in path:
        if isinstance(tree, dict) and part not in tree:
            return False
        tree = tree[part]
    return True


def without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_none(inner) for key, inner in value.items() if inner is not None}
    return [without_none(each) for each in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def quotes() -> Quotes:
    return Quotes()


@pytest.fixture(scope="module")
def places() -> dict[str, list[tuple[dict[str, Any], Leaf]]]:
    """Every base that has a field, by the field's key."""
    found: dict[str, list[tuple[dict[str, Any], Leaf]]] = {}
    for base in (*map(without_none, BASES.values()), *EXAMPLES.values()):
        for leaf in leaves(base):
            found.setdefault(leaf.key, []).append((base, leaf))
    return found


KEYS = sorted(set(every_key()))
NAMED = [key for key in KEYS if key in UNUSED]


def test_what_is_listed_is_a_field() -> None:
    assert set(UNUSED) <= set(KEYS)
    assert [word for word in RECORDED if not any(key.startswith(word) for key in KEYS)] == []
    assert all({**UNUSED, **RECORDED}.values())


@pytest.mark.parametrize("name", EXAMPLES)
def test_unused_fields_are_named_where_they_are_written(name: str) -> None:
    checklist = sound(EXAMPLES[name])
    assert checklist is not None
    written = {leaf.key for leaf in leaves(EXAMPLES[name]) if at(EXAMPLES[name], leaf.path)}
    assert bool(find_unused(checklist)) == bool(written & set(UNUSED))


def test_an_unused_field_is_named_with_its_path_and_reason() -> None:
    checklist = sound(without_none(BASES["here"]))
    assert checklist is not None
    found = {each.path: each.reason for each in find_unused(checklist)}
    assert set(found) == {f"workloads[0].model.{name}" for name in ("layers", "kv_heads", "head_dim")}


@pytest.mark.parametrize("name", BASES)
def test_a_base_is_a_checklist_that_is_quoted(name: str, quotes: Quotes) -> None:
    base = sound(without_none(BASES[name]))
    assert base is not None
    assert not quotes.text(base).startswith("refused")


@pytest.mark.parametrize("key", [key for key in KEYS if key not in UNUSED and not key.startswith(tuple(RECORDED))])
def test_another_value_changes_the_quote(
    key: str, quotes: Quotes, places: dict[str, list[tuple[dict[str, Any], Leaf]]]
) -> None:
    tried = 0
    for base, leaf in places[key]:
        before = sound(base)
        assert before is not None
        now = value_at(before, leaf.path)
        for value in others(str(leaf.path[-1]), leaf.field.annotation, now):
            after = sound(changed(base, leaf.path, value, leaf.field))
            if after is None or after == before:
                continue
            if quotes.text(after) != quotes.text(before):
                return
            tried += 1
            if tried >= MOST_TRIES:
                break
    pytest.fail(
        f"{key}: {tried} other values change nothing; use it, refuse it, or list it in catalogs/checklist/unpriced.csv"
    )


@pytest.mark.parametrize("key", NAMED)
def test_what_is_named_as_unused_changes_no_quote(
    key: str, quotes: Quotes, places: dict[str, list[tuple[dict[str, Any], Leaf]]]
) -> None:
    base, leaf = places[key][0]
    before = sound(base)
    assert before is not None
    values = others(str(leaf.path[-1]), leaf.field.annotation, value_at(before, leaf.path))
    for value in islice(values, FEW_TRIES):
        after = sound(changed(base, leaf.path, value, leaf.field))
        assert after is None or quotes.text(after) == quotes.text(before), f"{key} has an effect: do not name it unused"
