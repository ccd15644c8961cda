"""Any valid workload: every kind, every field, from one accelerator to a hundred thousand."""

from __future__ import annotations

from chance import Chance, plain

from catalogs.catalog import load
from catalogs.model import Accelerator, Form
from planning.checklist.model.vocabulary import Domain, FabricAsk, Framework, Precision, Purchase

Body = dict[str, object]

KINDS = ("training", "fine_tuning", "inference", "notebooks", "batch")
_NAMES = ("pretrain", "tune", "chat", "desk", "score", "render", "embed", "a", "x-ray-reader-of-many-hospitals")
_ACCELERATORS = tuple(sorted(load().accelerators.values(), key=lambda each: (each.family != "H100", each.name)))
_SOLD_WIDELY = ("H100-SXM-80GB", "H200-SXM-141GB", "A100-SXM-80GB", "L40S-PCIe-48GB", "B200-SXM-180GB", "L4-PCIe-24GB")
_FORMS = {Form.SXM, Form.PCIE, Form.NVL, Form.OAM}
_MOST_ACCELERATORS = 100_000


def any_workloads(chance: Chance) -> list[Body]:
    """One to six workloads of any kinds."""
    count = chance.among((1, 1, 1, 2, 2, 3, 3, 4, 6))
    names = chance.some(_NAMES, least=count, most=count)
    return [_any_workload(chance, name) for name in names]


def _any_workload(chance: Chance, name: str) -> Body:
    kind = chance.among(KINDS)
    body = _MAKERS[kind](chance)
    job = chance.fields(
        domain=(0.4, lambda: chance.among(list(Domain)).value),
        frameworks=(0.4, lambda: [each.value for each in chance.some(list(Framework), most=3)]),
        spot=(0.4, lambda: True),
        hardware=(0.2, lambda: _hardware(chance)),
    )
    return {"kind": kind, "name": name, **job, **body}


def _accelerator(chance: Chance) -> Accelerator:
    """Any accelerator; most draws give one that many providers sell, so that most checklists have an option."""
    every = load().accelerators
    return chance.among(_ACCELERATORS) if chance.flag(0.25) else every[chance.among(_SOLD_WIDELY)]


def _precision(chance: Chance) -> str:
    return chance.among((Precision.BF16, Precision.FP16, Precision.FP8, *Precision)).value


def _hardware(chance: Chance) -> Body:
    named = _accelerator(chance)
    per_node = chance.among((8, 8, 8, 1, 2, 4, 16))
    nodes = chance.scaled_whole(1, _MOST_ACCELERATORS // per_node)
    counted: Body = chance.among(
        ({}, {}, {"count": per_node * nodes}, {"per_node": per_node}, {"nodes": nodes}, {"count": nodes})
    )
    if chance.flag(0.3):
        counted = {"count": per_node * nodes, "per_node": per_node, "nodes": nodes}
    said = chance.fields(
        accelerator=(0.6, lambda: chance.among((named.name, named.family))),
        form=(0.1, lambda: named.form.value if named.form in _FORMS else "SXM"),
        fabric=(0.3, lambda: chance.among(list(FabricAsk)).value),
        purchase=(0.15, lambda: chance.among(list(Purchase)).value),
        placement_group=(0.2, chance.flag),
        usd_per_hour_cap=(0.15, lambda: chance.amount(0.5, 50)),
    )
    if said.get("accelerator") == named.name and named.form not in _FORMS:
        said.pop("form", None)
    return counted | said


def _model(chance: Chance, *, high: float = 1e12) -> Body:
    parameters = chance.scaled(1e8, high)
    body: Body = {"parameters": int(parameters)}
    if chance.flag(0.5):
        body["parameters"] = f"{parameters / 10**9:f}B"
    if chance.flag(0.2):
        body["active_parameters"] = int(parameters * chance.among((1, 2, 5, 10)) / 10)
    if chance.flag(0.3):
        body |= {
            "layers": chance.whole(2, 200),
            "kv_heads": chance.among((1, 8, 32, 128)),
            "head_dim": chance.among((64, 128, 256)),
        }
    return body


def _checkpointing(chance: Chance) -> Body:
    minutes = chance.scaled_whole(1, 1440)
    return chance.fields(
        enabled=(0.2, lambda: False),
        every_minutes=(0.8, lambda: minutes),
        stall_seconds=(0.5, lambda: chance.whole(1, min(minutes * 60 - 1, 3600))),
    ) | ({} if minutes > 1 else {"every_minutes": minutes, "stall_seconds": 30})


def _compute(chance: Chance) -> Body:
    measured = chance.among(("tokens", "tokens", "tokens", "flops", "rate"))
    body: Body = {}
    if measured == "tokens" or chance.flag(0.2):
        body["model"] = _model(chance)
    if measured == "tokens":
        body["tokens"] = chance.count(1e6, 2e13)
    else:
        body["samples"] = chance.count(1e3, 1e10)
    if measured == "flops":
        body["flops_per_sample"] = chance.count(1e6, 1e15)
    if measured == "rate":
        body["samples_per_second"] = chance.amount(0.01, 50_000)
        body["measured_on"] = _accelerator(chance).name
    most_mfu = "1" if "measured_on" in body else "0.5"
    return body | chance.fields(
        epochs=(0.3, lambda: chance.amount(0.1, 1000)),
        precision=(0.5, lambda: _precision(chance)),
        mfu=(0.4, lambda: chance.share("0.01", most_mfu)),
        global_batch=(0.4, lambda: chance.scaled_whole(1, 100_000)),
        deadline=(0.4, chance.days),
        runs_per_month=(0.5, lambda: chance.amount(0.1, 1000)),
        rollout_vcpus=(0.1, lambda: chance.scaled_whole(1, 20_000)),
        checkpointing=(0.4, lambda: _checkpointing(chance)),
    )


def _fine_tuning(chance: Chance) -> Body:
    lora = chance.flag(0.4)
    return _compute(chance) | (
        {"method": "lora"} | chance.fields(adapter_share=(0.5, lambda: chance.share("0.001", "1"))) if lora else {}
    )


def _inference(chance: Chance) -> Body:
    """Sized by its load, as people know it, or by its copies."""
    body = {"model": _model(chance)} | (_load(chance) if chance.flag(0.4) else _copies(chance))
    return body | chance.fields(
        precision=(0.5, lambda: _precision(chance)),
        scale_to_zero=(0.2, lambda: True),
        context_tokens=(0.5, lambda: chance.scaled_whole(1, 1_000_000)),
        latency_ms_per_token=(0.3, lambda: chance.amount(1, 1000)),
        hours_per_week=(0.3, lambda: chance.amount(0.5, 168)),
    )


def _load(chance: Chance) -> Body:
    mean = chance.scaled(0.01, 10_000)
    said: Body = {"requests_per_second": plain(mean)}
    said |= {"input_tokens": chance.scaled_whole(1, 100_000), "output_tokens": chance.scaled_whole(1, 10_000)}
    return said | chance.fields(
        peak_requests_per_second=(0.5, lambda: plain(mean * chance.whole(1, 10))),
        latency_p95_seconds=(0.4, lambda: chance.amount(0.1, 120)),
    )


def _copies(chance: Chance) -> Body:
    replicas = chance.scaled_whole(1, 500)
    return chance.fields(
        replicas=(0.7, lambda: replicas),
        max_replicas=(0.4, lambda: replicas * chance.whole(1, 8)),
        batch=(0.5, lambda: chance.scaled_whole(1, 512)),
    )


def _notebooks(chance: Chance) -> Body:
    return chance.fields(
        accelerators_per_engineer=(0.6, lambda: chance.amount(0.05, 8)),
        memory_per_engineer=(0.5, lambda: chance.gigabytes(1, 400)),
        hours_per_week=(0.5, lambda: chance.amount(0.5, 168)),
        concurrency=(0.4, lambda: chance.share("0.01", "1")),
    )


def _batch(chance: Chance) -> Body:
    body = chance.fields(
        vcpus=(0.6, lambda: chance.scaled_whole(1, 50_000)),
        memory=(0.4, lambda: chance.gigabytes(1, 200_000)),
        hours_per_month=(0.6, lambda: chance.amount(0.1, 730)),
        checkpointing=(0.3, lambda: _checkpointing(chance)),
    )
    if "vcpus" not in body or chance.flag(0.5):
        body["accelerators"] = chance.scaled_whole(1, 5000)
        body |= chance.fields(accelerator_memory=(0.4, lambda: chance.gigabytes(1, 200)))
    return body


_MAKERS = {
    "training": _compute,
    "fine_tuning": _fine_tuning,
    "inference": _inference,
    "notebooks": _notebooks,
    "batch": _batch,
}
