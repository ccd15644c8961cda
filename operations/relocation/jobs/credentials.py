"""What movers of a Job open their stores with: Secrets and authorities, made for one round and deleted at its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from operations.relocation.jobs.objects import LABEL

if TYPE_CHECKING:
    from components.agents.mover.store.model import Place
    from operations.relocation.jobs.objects import Manifest, MoverJob


def keys_of(job: MoverJob, source: Place, target: Place) -> list[Manifest]:
    """A Secret for each side."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": job.secrets[side], "namespace": job.namespace, "labels": {LABEL: job.name}},
            "stringData": {
                "access_key": place.access_key,
                "secret_key": place.secret_key,
                **({"session_token": place.session_token} if place.session_token else {}),
            },
        }
        for side, place in (("source", source), ("target", target))
    ]


def authorities_of(job: MoverJob, source: Place, target: Place) -> list[Manifest]:
    """The authority of each side that has its own."""
    places = {"source": source, "target": target}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": job.namespace, "labels": {LABEL: job.name}},
            "data": {"ca.crt": Path(places[side].authority).read_text(encoding="utf-8")},
        }
        for side, name in job.authorities.items()
    ]
