"""Environment of a rehearsal: both sides, running, and their relocation.yaml."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import yaml

from operations.relocation.rehearsal.cluster import RehearsedApiServer, furnish
from operations.relocation.rehearsal.control_plane import ControlPlane, start_control_plane
from operations.relocation.rehearsal.servers import (
    MOVER,
    REGION,
    ROOT,
    RehearsedDatabase,
    RehearsedStore,
    RehearsedTracking,
    database,
    store,
    tracking,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

SIDES: Final = ("source", "target")
STACKS: Final[Mapping[str, str]] = {"source": "here", "target": "there"}
# The team's bucket is called otherwise at the target, as a bucket's name is the world's; MLflow's own is not.
TEAM_BUCKET: Final[Mapping[str, str]] = {"source": "team-models", "target": "team-models-there"}
TRACKING_BUCKET: Final = "mlflow"
SETS_BUCKET: Final = "sets"
WRITER: Final = "engineer"
TRACKER: Final = "mlflow"
HOST: Final = "mlflow.rehearsal.example"
ADDRESSES: Final[Mapping[str, str]] = {"source": "192.0.2.10", "target": "192.0.2.20"}  # RFC 5737: nobody's


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedSide:
    name: str
    store: RehearsedStore
    runs: RehearsedDatabase
    tracking: RehearsedTracking
    plane: ControlPlane

    @property
    def buckets(self) -> tuple[str, ...]:
        return buckets(self.name)

    @property
    def api(self) -> RehearsedApiServer:
        return RehearsedApiServer(self.plane)


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalEnvironment:
    """Both sides, relocation.yaml and its secrets."""

    source: RehearsedSide
    target: RehearsedSide
    folder: Path
    places: Path
    hosts: Path
    secrets: Mapping[str, str] = field(repr=False)


def buckets(side: str) -> tuple[str, ...]:
    return (TEAM_BUCKET[side], TRACKING_BUCKET, SETS_BUCKET)


@contextlib.contextmanager
def start_environment(folder: Path, *, say: Callable[[str], None]) -> Generator[RehearsalEnvironment]:
    with contextlib.ExitStack() as stack:
        found: dict[str, RehearsedSide] = {}
        for side in SIDES:
            say(f"starting the {side}: store, database, tracking server, API server")
            found[side] = stack.enter_context(_setting(folder / side, side))
        hosts = folder / "hosts"
        hosts.write_text(f"# names of the rehearsal\n{ADDRESSES['source']} {HOST}\n", encoding="utf-8")
        places = folder / "relocation.yaml"
        places.write_text(yaml.safe_dump(_places(found, hosts=hosts), sort_keys=False), encoding="utf-8")
        yield RehearsalEnvironment(
            source=found["source"],
            target=found["target"],
            folder=folder,
            places=places,
            hosts=hosts,
            secrets=_secrets(found),
        )


@contextlib.contextmanager
def _setting(folder: Path, side: str) -> Generator[RehearsedSide]:
    folder.mkdir(parents=True)
    writers = {WRITER: buckets(side), TRACKER: (TRACKING_BUCKET, TEAM_BUCKET[side])}
    with contextlib.ExitStack() as stack:
        objects = stack.enter_context(store(folder / "store", buckets=buckets(side), writers=writers))
        runs = stack.enter_context(database(folder / "runs", name=TRACKER))
        plane = stack.enter_context(start_control_plane(folder / "plane"))
        server = stack.enter_context(
            tracking(folder / "tracking", runs=runs, store=objects, bucket=TRACKING_BUCKET, user=TRACKER)
        )
        found = RehearsedSide(name=side, store=objects, runs=runs, tracking=server, plane=plane)
        furnish(found.api, bucket=TEAM_BUCKET[side], works=side == "source")
        yield found


def _secrets(found: Mapping[str, RehearsedSide]) -> dict[str, str]:
    told: dict[str, str] = {}
    for side, setting in found.items():
        prefix = side.upper()
        users = {"MOVER": MOVER, "WRITER": WRITER, "ADMIN": ROOT}
        for word, user in users.items():
            told |= {f"{prefix}_{word}_KEY": user, f"{prefix}_{word}_SECRET": setting.store.keys[user]}
        told[f"{prefix}_MLFLOW"] = setting.runs.uri
        told[f"{prefix}_KUBECONFIG"] = str(setting.plane.kubeconfig)
    return told


def _places(found: Mapping[str, RehearsedSide], *, hosts: Path) -> dict[str, object]:
    source, target = TEAM_BUCKET["source"], TEAM_BUCKET["target"]
    return {
        "source": _side(found["source"]),
        "target": _side(found["target"]),
        "buckets": [
            {"source": source, "target": target, "versions": True},
            {"source": TRACKING_BUCKET, "target": TRACKING_BUCKET},
            {"source": SETS_BUCKET, "target": SETS_BUCKET, "loss": "large"},
        ],
        "uris": [{"source": f"s3://{source}", "target": f"s3://{target}"}],
        "names": {
            "kind": "hosts_file",
            "names": [HOST],
            "source": ADDRESSES["source"],
            "target": ADDRESSES["target"],
            "ttl_seconds": 1,
            "file": str(hosts),
        },
        "window_minutes": 10,
        "observe_minutes": 0,
        "retain_days": 1,
        "sample_percent": 20,
    }


def _side(setting: RehearsedSide) -> dict[str, object]:
    prefix = setting.name.upper()
    keys = {
        word: {"access_key_env": f"{prefix}_{name}_KEY", "secret_key_env": f"{prefix}_{name}_SECRET"}
        for word, name in {"mover": "MOVER", "canary": "WRITER", "admin": "ADMIN"}.items()
    }
    return {
        "stack": STACKS[setting.name],
        "store": {"kind": "minio", "endpoint": setting.store.endpoint, "region": REGION, **keys},
        "kubeconfig_env": f"{prefix}_KUBECONFIG",
        "databases": [{"part": "mlflow", "uri_env": f"{prefix}_MLFLOW"}],
        "mlflow_url": setting.tracking.url,
    }
