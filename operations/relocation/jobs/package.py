"""Copy worker as a Job: the modules that run here, in a ConfigMap; keys stay in Secrets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, cast

from components.agents import mover
from operations.relocation.jobs.objects import (
    AUTHORITY_FOLDER,
    KEYS_FOLDER,
    PORT,
    SPEC,
    WORK_FOLDER,
    Manifest,
    MoverJob,
    build_indexed_job,
    flatten_path,
    head,
    monitor,
    network,
)
from planning.values.errors import AtollError, Fault, InputError

START: Final = "__main__.py"
MOST_BYTES: Final = 2**20  # of a ConfigMap; https://kubernetes.io/docs/concepts/configuration/configmap/ (2026-11-22)


def sources() -> dict[str, str]:
    """Source files of the copy worker, by path below the folder that it is started from."""
    package = Path(str(mover.__file__)).parent
    *above, root = package.parents[: len(mover.__name__.split("."))]
    paths = [*(folder / "__init__.py" for folder in reversed(above)), *sorted(package.rglob("*.py"))]
    read = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {START: (package / START).read_text(encoding="utf-8"), **read}


def build_code_config_map(job: MoverJob) -> Manifest:
    """ConfigMap with the source of the copy worker.

    Raises:
        AtollError: it has become too long for one.
    """
    found = {flatten_path(path): text for path, text in sources().items()}
    size = sum(len(key) + len(text.encode()) for key, text in found.items())
    if size >= MOST_BYTES:
        raise AtollError(f"the copy worker has {size} bytes, a ConfigMap holds less than {MOST_BYTES}")
    return {**head(job, "v1", "ConfigMap", name=f"{job.name}-code"), "data": found}


def build_spec_config_map(job: MoverJob) -> Manifest:
    share = None if job.mib_per_s is None else job.mib_per_s / min(job.pods.parallelism, job.pods.shards)
    sides = {side: {**_below(job, side), "authority": f"{AUTHORITY_FOLDER}/{side}/ca.crt"} for side in job.authorities}
    spec = {
        **job.spec,
        **sides,
        "shards": job.pods.shards,
        "mib_per_s": share,
        "folder": WORK_FOLDER,
        "keys": KEYS_FOLDER,
        "listen": "0.0.0.0",  # noqa: S104 - its own pod; the network policy says who may ask
        "port": PORT,
    }
    text = json.dumps(spec, indent=2, sort_keys=True) + "\n"
    return {**head(job, "v1", "ConfigMap", name=f"{job.name}-spec"), "data": {SPEC: text}}


def _below(job: MoverJob, side: str) -> dict[str, object]:
    return cast("dict[str, object]", job.spec[side])


def objects(job: MoverJob) -> list[Manifest]:
    """Objects of a Job in order; its Secrets and claim exist already.

    Raises:
        InputError: it cannot be run like this.
        AtollError: the source is too long for a ConfigMap.
    """
    _check(job)
    account = {**head(job, "v1", "ServiceAccount"), "automountServiceAccountToken": False}
    monitored = [monitor(job)] if job.pods.monitored else []
    return [
        account,
        build_code_config_map(job),
        build_spec_config_map(job),
        network(job),
        *monitored,
        build_indexed_job(job, paths=sources()),
    ]


def _check(job: MoverJob) -> None:
    faults: list[str] = []
    if not 1 <= job.pods.parallelism <= job.pods.shards:
        faults.append(f"{job.pods.parallelism} movers at once for {job.pods.shards} shards")
    if job.mib_per_s is not None and job.mib_per_s <= 0:
        faults.append(f"a bandwidth of {job.mib_per_s} MiB/s")
    if not job.pods.peers:
        faults.append("no address of a store: movers could reach nothing")
    if not job.secrets:
        faults.append("no Secret with keys")
    if faults:
        raise InputError(
            f"the movers {job.name} cannot be run", faults=[Fault(message=each, file=job.name) for each in faults]
        )
