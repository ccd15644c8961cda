"""Databases dumped from the frozen source, restored at the target, and every row proved to be there."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from shutil import rmtree
from typing import TYPE_CHECKING, Final

from operations.project.atomic_files import write_all
from operations.relocation.config.rules import name_databases
from operations.relocation.databases import mysql, postgres, row_checksums, schema
from operations.relocation.databases.client_programs import own_folder
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from operations.relocation.config.endpoints import DatabasePlace
    from operations.relocation.databases.row_checksums import Sums

DUMPS: Final = "dumps"
REPORT: Final = "reports/databases.json"
# Tables with rows only where somebody worked, by part.
WORK: Final[Mapping[str, tuple[str, ...]]] = {
    "mlflow": schema.MLFLOW_WORK,
    "model_registry": schema.HUB_WORK,
}
SHOWN: Final = 10  # differences in a message; all of them stand in the evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabasePair:
    """One database on both sides.

    Args:
        name: its part's, with a number where a part has several.
    """

    name: str
    source: DatabasePlace
    target: DatabasePlace

    @property
    def key(self) -> str:
        return f"databases/{self.name}"


def do(move: Move) -> Evidence:
    """Move every database in turn, once manual tasks are confirmed."""
    people = plan.check_confirmations(move)
    found = list_database_pairs(move)
    dumps = own_folder(move.folder / DUMPS)
    moved = {each.name: _move_database(move, each, dumps) for each in found}
    report = {name: {"source": asdict(here), "target": asdict(there)} for name, (_, here, there) in moved.items()}
    write_all({move.folder / REPORT: json.dumps(report, indent=1, sort_keys=True) + "\n"})
    return {
        "databases": {name: evidence for name, (evidence, _, _) in moved.items()},
        "report": REPORT,
        "people": people,
    }


def list_database_pairs(move: Move) -> list[DatabasePair]:
    """Databases of both sides, in the order of the file.

    Raises:
        StepError: one is on one side only, or of another engine.
    """
    here, there = name_databases(move.places.source.databases), name_databases(move.places.target.databases)
    faults = [
        f"{name} is only at the {'source' if name in here else 'target'}" for name in sorted(set(here) ^ set(there))
    ]
    faults += [
        f"{name} is {place.engine} at the source and {there[name].engine} at the target"
        for name, place in here.items()
        if name in there and place.engine != there[name].engine
    ]
    if faults:
        raise StepError(f"databases of relocation.yaml: {'; '.join(faults)}", evidence={"faults": faults})
    return [DatabasePair(name=name, source=place, target=there[name]) for name, place in here.items()]


def unmark_databases(move: Move) -> None:
    """Remove the marks from the target's databases at commit, when they belong to the users."""
    for pair in list_database_pairs(move):
        if pair.target.engine == "postgresql":
            with postgres.session(pair.target, move.secrets, writing=True) as there:
                postgres.mark(there, "")


def _move_database(move: Move, pair: DatabasePair, dumps: Path) -> tuple[Evidence, Sums, Sums]:
    by_engine = {"postgresql": _postgres, "mysql": _mysql}
    path = dumps / f"{pair.name}.dump"
    digest = by_engine[pair.source.engine](move, pair, path)
    move.say(f"{pair.name}: counting and summing every row on both sides")
    here, there = _both(move, pair, dumps)
    found = row_checksums.differences(here, there)
    if found:
        more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise StepError(
            f"{pair.name} is not the same on both sides: {'; '.join(found[:SHOWN])}{more}",
            hint="something writes at one of the sides; nothing of the source was changed",
            evidence={"database": pair.name, "differences": found},
        )
    evidence: Evidence = {
        "tables": len(here.tables),
        "rows": here.rows,
        "sequences": len(here.sequences),
        "dump": f"{DUMPS}/{path.name}",
        "bytes": path.stat().st_size,
        "sha256": digest,
        "servers": [here.server, there.server],
        "remarks": row_checksums.remarks(here, there),
        "before": move.memory.recall(f"{pair.key}/before"),
    }
    return evidence, here, there


def _postgres(move: Move, pair: DatabasePair, path: Path) -> str:
    with postgres.session(pair.source, move.secrets) as source, postgres.session(pair.target, move.secrets) as target:
        here, there = row_checksums.tables_in(source), row_checksums.tables_in(target)
        majors = postgres.server_major(source), postgres.server_major(target)
        ours = move.memory.recall(pair.key) is not None or postgres.read_mark(target) == _words(move)
    _not_older(pair, *majors)
    if not ours:
        _hold_strangers(pair, here, there)
        _hold_work(pair, there)
        if there:
            _keep_before(move, pair, path, postgres.dump)
    move.memory.remember(pair.key, {"target": "ours"})
    with postgres.session(pair.target, move.secrets, writing=True) as target:
        postgres.mark(target, _words(move))
    move.say(f"{pair.name}: dumping {sum(here.values())} rows of {len(here)} tables")
    digest = postgres.dump(pair.source, move.secrets, path)
    move.say(f"{pair.name}: restoring {path.stat().st_size} bytes")
    postgres.restore(pair.target, move.secrets, path)
    return digest


def _mysql(move: Move, pair: DatabasePair, path: Path) -> str:
    versions = [mysql.version_of(each, move.secrets, folder=path.parent) for each in (pair.source, pair.target)]
    majors = [int(each.partition(".")[0]) for each in versions]
    _not_older(pair, majors[0], majors[1])
    if move.memory.recall(pair.key) is None:
        here, there = (
            {name: each.rows for name, each in mysql.sums(place, move.secrets, folder=path.parent).tables.items()}
            for place in (pair.source, pair.target)
        )
        _hold_strangers(pair, here, there)
        if there:
            _keep_before(move, pair, path, mysql.dump)
    move.memory.remember(pair.key, {"target": "ours"})
    digest = mysql.dump(pair.source, move.secrets, path)
    move.say(f"{pair.name}: restoring {path.stat().st_size} bytes")
    mysql.restore(pair.target, move.secrets, path)
    return digest


def _both(move: Move, pair: DatabasePair, folder: Path) -> tuple[Sums, Sums]:
    def sum_tables(place: DatabasePlace) -> Sums:
        if place.engine == "mysql":  # each side with a folder of its own for what the programs are told
            own = own_folder(folder / f".{place.uri_env.lower()}")
            try:
                return mysql.sums(place, move.secrets, folder=own)
            finally:
                rmtree(own)
        with postgres.session(place, move.secrets) as connection:
            return row_checksums.sums_of(connection)

    with ThreadPoolExecutor(2) as threads:
        here, there = threads.map(sum_tables, (pair.source, pair.target))
    return here, there


def _words(move: Move) -> str:
    return f"atoll relocation {move.places.source.stack}--{move.places.target.stack}"


def _not_older(pair: DatabasePair, here: int, there: int) -> None:
    if there < here:
        raise StepError(
            f"{pair.name}: the source's server is of version {here}, the target's of the older version {there}",
            hint="give the target a server of the same or a later version",
        )


def _hold_strangers(pair: DatabasePair, here: Mapping[str, int], there: Mapping[str, int]) -> None:
    strangers = sorted(set(there) - set(here))
    if strangers:
        raise StepError(
            f"{pair.name}: the target's database has tables that the source's has not: {', '.join(strangers[:SHOWN])}",
            hint="it is somebody else's, or of a later version: move it away, or install the source's version first",
            evidence={"database": pair.name, "tables": strangers},
        )


def _hold_work(pair: DatabasePair, there: Mapping[str, int]) -> None:
    asked = {f"public.{each}" for each in WORK.get(pair.source.part, ())}
    found = {name: count for name, count in there.items() if name in asked and count}
    if found:
        said = ", ".join(f"{count} rows in {name}" for name, count in sorted(found.items()))
        raise StepError(
            f"{pair.name}: the target's database was worked in: {said}",
            hint="a relocation would replace them: dump and empty that database first, or name another",
            evidence={"database": pair.name, "rows": found},
        )


def _keep_before(move: Move, pair: DatabasePair, path: Path, dump: Callable[..., str]) -> None:
    """Dump the target too."""
    # What a fresh installation wrote there would be lost with the restore, and a roll back has to put it back.
    kept = path.with_name(f"{pair.name}.target-before.dump")
    digest = dump(pair.target, move.secrets, kept)
    move.memory.remember(f"{pair.key}/before", {"dump": f"{DUMPS}/{kept.name}", "sha256": digest})


STEP: Final = RelocationStep(name="databases", do=do)
