"""Rules about the work itself: what it is measured by, how it survives, how it is served."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from planning.checklist.model.workload import Batch, Compute, Inference, Notebooks, WorkloadModel
from planning.checklist.rules.rule_violation import RuleViolation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.workload import ModelFacts


BEST_UNMEASURED_MFU: Final = Decimal("0.5")  # "0.5 at best" (design section 5; seed 002)
ONE_COPY_SLO_PERCENT: Final = Decimal("99.95")  # above it, one restart a month is already too long
_CACHE_FIELDS: Final = ("layers", "kv_heads", "head_dim")


def names_unique(checklist: Checklist) -> Iterator[RuleViolation]:
    """A workload's name names its node pool."""
    seen: dict[str, int] = {}
    for at, job in enumerate(checklist.workloads):
        first = seen.setdefault(job.name, at)
        if first != at:
            message = f'two workloads are called "{job.name}": workloads[{first}] and workloads[{at}]'
            yield RuleViolation(("workloads", at, "name"), message, "each name becomes a node pool; give each its own")


def work_measured(checklist: Checklist) -> Iterator[RuleViolation]:
    """Time and cost of a training follow from an amount of work."""
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Compute) and not _measures(job):
            message = f'how much work "{job.name}" is cannot be told'
            hint = (
                "give model and tokens; or samples and flops_per_sample; or samples, samples_per_second and measured_on"
            )
            yield RuleViolation(("workloads", at, *_half_measured(job)), message, hint)


def _measures(job: Compute) -> bool:
    by_tokens = job.model and job.tokens
    by_flops = job.samples and job.flops_per_sample
    by_rate = job.samples and job.samples_per_second and job.measured_on
    return bool(by_tokens or by_flops or by_rate)


def _half_measured(job: Compute) -> tuple[str, ...]:
    given = ("samples_per_second", "flops_per_sample", "samples", "tokens", "model")
    return tuple(name for name in given if getattr(job, name) is not None)[:1]


def mfu_measured(checklist: Checklist) -> Iterator[RuleViolation]:
    """Few reach half of the peak; who claims more has measured it."""
    for at, job in enumerate(checklist.workloads):
        mfu = job.mfu if isinstance(job, Compute) else None
        if isinstance(job, Compute) and mfu is not None and mfu > BEST_UNMEASURED_MFU and not job.measured_on:
            message = f"an mfu of {mfu} is above {BEST_UNMEASURED_MFU} and not measured"
            hint = f"write {BEST_UNMEASURED_MFU} or less, or give samples_per_second and measured_on"
            yield RuleViolation(("workloads", at, "mfu"), message, hint)


def deadline_on_spot(checklist: Checklist) -> Iterator[RuleViolation]:
    """A run that starts over at each interruption keeps no deadline."""
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Compute) and job.spot and job.deadline and not job.checkpointing.enabled:
            message = f'"{job.name}" has a deadline, runs on spot machines and keeps no checkpoints'
            yield RuleViolation(("workloads", at, "spot"), message, "switch checkpointing on, or spot off")


def checkpoints_leave_time(checklist: Checklist) -> Iterator[RuleViolation]:
    """Writing a checkpoint may not take longer than the time to the next one."""
    for at, job in enumerate(checklist.workloads):
        if not isinstance(job, (Compute, Batch)):
            continue
        every, stall = job.checkpointing.every_minutes, job.checkpointing.stall_seconds
        if stall >= every * 60:
            message = (
                f"a checkpoint every {every} minutes may block the job for {stall} seconds: no time is left to work"
            )
            hint = "lower stall_seconds, or checkpoint less often"
            yield RuleViolation(("workloads", at, "checkpointing", "stall_seconds"), message, hint)


def replicas_in_order(checklist: Checklist) -> Iterator[RuleViolation]:
    """The peak is not below what is always up."""
    for at, job in enumerate(checklist.workloads):
        if not isinstance(job, Inference) or job.max_replicas is None:
            continue
        least = job.replicas or 1
        if job.max_replicas < least:
            message = f"max_replicas is {job.max_replicas}, below the {least} replicas that are always up"
            yield RuleViolation(("workloads", at, "max_replicas"), message, f"write {least} or more")


def replicas_for_slo(checklist: Checklist) -> Iterator[RuleViolation]:
    """One copy cannot be up more than its own node."""
    slo = checklist.slo_percent
    if slo is None or slo <= ONE_COPY_SLO_PERCENT:
        return
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Inference) and job.requests_per_second is None and (job.replicas or 1) == 1:
            message = f'"{job.name}" has one replica, which cannot be up {slo}% of a month'
            hint = f"write replicas: 2 or more, or an slo_percent of {ONE_COPY_SLO_PERCENT} or less"
            yield RuleViolation(("workloads", at, "replicas"), message, hint)


def active_within_all(checklist: Checklist) -> Iterator[RuleViolation]:
    """A mixture of experts uses part of its parameters."""
    for at, facts in _models(checklist):
        if facts.active_parameters is not None and facts.active_parameters > facts.parameters:
            path = ("workloads", at, "model", "active_parameters")
            yield RuleViolation(
                path, "more parameters are active than the model has", "active_parameters are those used per token"
            )


def cache_facts_together(checklist: Checklist) -> Iterator[RuleViolation]:
    """The KV cache is computed from three facts, or estimated from none."""
    for at, facts in _models(checklist):
        given = [name for name in _CACHE_FIELDS if getattr(facts, name) is not None]
        if given and len(given) < len(_CACHE_FIELDS):
            lacking = " and ".join(name for name in _CACHE_FIELDS if name not in given)
            message = f"the KV cache cannot be computed without {lacking}"
            hint = f"give {', '.join(_CACHE_FIELDS)} together, or none of them"
            yield RuleViolation(("workloads", at, "model", given[0]), message, hint)


def _models(checklist: Checklist) -> Iterator[tuple[int, ModelFacts]]:
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, (Compute, Inference)) and job.model is not None:
            yield at, job.model


def notebooks_have_engineers(checklist: Checklist) -> Iterator[RuleViolation]:
    """Notebooks are counted per engineer."""
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Notebooks) and checklist.engineers is None:
            message = f'"{job.name}" is sized per engineer, and their number is not given'
            yield RuleViolation(("workloads", at), message, 'add a section "engineers:" with "count: ..."')


def batch_asks_something(checklist: Checklist) -> Iterator[RuleViolation]:
    """A batch workload has no model to size by."""
    for at, job in enumerate(checklist.workloads):
        if not isinstance(job, Batch):
            continue
        if not job.vcpus and not job.accelerators:
            yield RuleViolation(
                ("workloads", at), f'"{job.name}" asks for no cores and no accelerators', "give vcpus or accelerators"
            )
        elif job.accelerator_memory and not job.accelerators:
            path = ("workloads", at, "accelerator_memory")
            yield RuleViolation(path, "memory of accelerators, but no accelerators", 'add "accelerators: 1" or more')


def hot_tier_has_a_node(checklist: Checklist) -> Iterator[RuleViolation]:
    """The hot tier is the NVMe inside accelerator nodes."""
    if checklist.storage.hot is not None and not any(map(_uses_accelerators, checklist.workloads)):
        message = "the hot tier is local NVMe of accelerator nodes, and no workload here uses accelerators"
        yield RuleViolation(("storage", "hot"), message, "use the warm tier, which every node can reach")


def _uses_accelerators(job: WorkloadModel) -> bool:
    return not isinstance(job, Batch) or job.accelerators > 0


_COPIES_FIELDS: Final = ("replicas", "max_replicas", "batch")
_LOAD_FIELDS: Final = ("peak_requests_per_second", "input_tokens", "output_tokens", "latency_p95_seconds")
_LOAD_HINT: Final = "give requests_per_second, input_tokens and output_tokens together"


def load_is_whole(checklist: Checklist) -> Iterator[RuleViolation]:
    """A service is sized by its load or by its copies, and a load is known only with the tokens of a request."""
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Inference):
            yield from _load_faults(job, at)


def _load_faults(job: Inference, at: int) -> Iterator[RuleViolation]:
    given = [name for name in _LOAD_FIELDS if getattr(job, name) is not None]
    if job.requests_per_second is None:
        for name in given:
            yield RuleViolation(("workloads", at, name), f"{name} says nothing without requests_per_second", _LOAD_HINT)
        return
    for name in (name for name in _COPIES_FIELDS if getattr(job, name) is not None):
        message = f"{name} beside requests_per_second: the copies follow from the load"
        yield RuleViolation(
            ("workloads", at, name), message, f"delete {name}, or requests_per_second and what belongs to it"
        )
    for name in ("input_tokens", "output_tokens"):
        if name not in given:
            message = f'how much work a request of "{job.name}" is cannot be told without {name}'
            yield RuleViolation(("workloads", at, "requests_per_second"), message, _LOAD_HINT)
    peak = job.peak_requests_per_second
    if peak is not None and peak < job.requests_per_second:
        message = f"a peak of {peak:f} requests per second is below the average of {job.requests_per_second:f}"
        yield RuleViolation(("workloads", at, "peak_requests_per_second"), message, "write the larger one as the peak")
