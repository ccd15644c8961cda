"""Rules about the load of a service: it is known as a whole, and stands instead of the copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.workload import Inference
from planning.checklist.rules.rule_violation import Broken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.checklist.model.checklist import Checklist

_COPIES_FIELDS: Final = ("replicas", "max_replicas", "batch")
_LOAD_FIELDS: Final = ("peak_requests_per_second", "input_tokens", "output_tokens", "latency_p95_seconds")
_LOAD_HINT: Final = "give requests_per_second, input_tokens and output_tokens together"


def load_is_whole(checklist: Checklist) -> Iterator[Broken]:
    """A service is sized by its load or by its copies, and a load is known only with the tokens of a request."""
    for at, job in enumerate(checklist.workloads):
        if isinstance(job, Inference):
            yield from _load_faults(job, at)


def _load_faults(job: Inference, at: int) -> Iterator[Broken]:
    given = [name for name in _LOAD_FIELDS if getattr(job, name) is not None]
    if job.requests_per_second is None:
        for name in given:
            yield Broken(("workloads", at, name), f"{name} says nothing without requests_per_second", _LOAD_HINT)
        return
    for name in (name for name in _COPIES_FIELDS if getattr(job, name) is not None):
        message = f"{name} beside requests_per_second: the copies follow from the load"
        yield Broken(("workloads", at, name), message, f"delete {name}, or requests_per_second and what belongs to it")
    for name in ("input_tokens", "output_tokens"):
        if name not in given:
            message = f'how much work a request of "{job.name}" is cannot be told without {name}'
            yield Broken(("workloads", at, "requests_per_second"), message, _LOAD_HINT)
    peak = job.peak_requests_per_second
    if peak is not None and peak < job.requests_per_second:
        message = f"a peak of {peak:f} requests per second is below the average of {job.requests_per_second:f}"
        yield Broken(("workloads", at, "peak_requests_per_second"), message, "write the larger one as the peak")
