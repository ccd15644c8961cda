"""Whether both stacks install the same versions of what keeps state: their databases are read by the other one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.spec.lock import Lock

# Parts whose database or objects the target reads as the source has written them (Pipelines: the metadata store is
# being taken out of it in 2026, so that its own versions do not read each other's, kubeflow/pipelines#14029).
EQUAL: Final = ("mlflow", "pipelines", "katib", "model_registry", "airflow")


def differences(source: Lock, target: Lock) -> Iterator[str]:
    """What is not the same on both sides, in words."""
    for name in EQUAL:
        here, there = _version(source, name), _version(target, name)
        if here and not there:
            yield f"{name} {here} runs at {source.stack} and is not installed at {target.stack}"
        elif here and here != there:
            yield f"{name} is {here} at {source.stack} and {there} at {target.stack}"


def _version(lock: Lock, name: str) -> str:
    platform = lock.spec.platform
    part = platform.part(name) if platform else None
    return part.version if part else ""
