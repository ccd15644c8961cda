"""Addresses rewritten at the target, and only there: in databases, in recurring runs and in model servers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from operations.project.atomic_files import write_all
from operations.relocation.cluster import recreation
from operations.relocation.cluster.client import open_clusters
from operations.relocation.databases import mysql, postgres
from operations.relocation.databases.client_programs import own_folder
from operations.relocation.databases.mlflow import STORES
from operations.relocation.databases.schema import HUB, MLFLOW, Schema
from operations.relocation.databases.sql import MetadataError
from operations.relocation.databases.uri_rewrite import Survey, refusals, rewrite, survey
from operations.relocation.databases.uri_rules import UriRules, rules_of
from operations.relocation.runner.step import Evidence, Move, RelocationStep, StepError
from operations.relocation.steps.databases import DUMPS, DatabasePair, list_database_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.relocation.config.endpoints import Places

SCHEMAS: Final[Mapping[str, Schema]] = {"mlflow": MLFLOW, "model_registry": HUB}
REPORT: Final = "reports/rewrite.json"
DECLARE: Final = (
    "add a rule to `uris` of relocation.yaml, where an address stays right one whose source and target are equal; "
    "then roll back and run again"
)


def do(move: Move) -> Evidence:
    """Survey everything, then rewrite databases, then objects of the cluster."""
    rules = rules_for(move.places)
    known = [
        each for each in list_database_pairs(move) if each.source.part in SCHEMAS and each.target.engine == "postgresql"
    ]
    seen = {each.name: _survey_database(move, each, rules) for each in known}
    write_all({move.folder / REPORT: json.dumps({name: asdict(each) for name, each in seen.items()}, indent=1) + "\n"})
    faults = [f"{name}: {fault}" for name, each in seen.items() for fault in refusals(each)]
    if faults:
        raise StepError("; ".join(faults), hint=DECLARE, evidence={"faults": faults, "report": REPORT})
    told = {name: _render_survey(each) for name, each in seen.items()}
    for each in known:
        move.say(f"{each.name}: rewriting {sum(seen[each.name].changes.values())} rows")
        _rewrite_database(move, each, rules)
    for each in list_database_pairs(move):
        if each.source.part == "pipelines" and each.target.engine == "mysql":
            folder = own_folder(move.folder / DUMPS)
            by_column = mysql.rewrite(each.target, move.secrets, rules, folder=folder)
            told[each.name] = {"rewritten": sum(by_column.values()), "by_column": by_column}
    return {
        "rules": [{"source": each.source, "target": each.target} for each in rules.moving],
        "databases": told,
        "cluster": _cluster(move, rules),
        "report": REPORT,
    }


def rules_for(places: Places) -> UriRules:
    """Rules of the file, and rules that keep buckets of an unchanged name.

    Raises:
        StepError: the rules are not sound.
    """
    said = [(each.source, each.target) for each in places.uris]
    named = {source.rstrip("/") for source, _ in said}
    kept = {
        f"{scheme}://{each.source}" for each in places.buckets if each.source == each.target for scheme in STORES
    } - named
    try:
        return rules_of([*said, *((each, each) for each in sorted(kept))])
    except MetadataError as error:
        raise StepError(f"`uris` of relocation.yaml: {error}", hint=DECLARE) from error


def list_moved_prefixes(places: Places) -> list[str]:
    """Prefixes with another name at the target: an address that names one must fit a rule."""
    # A bucket that keeps its name has addresses that are right at the target as they are.
    renamed = [each.source for each in places.buckets if each.source != each.target]
    return [f"{scheme}://{name}" for name in renamed for scheme in STORES]


def _survey_database(move: Move, pair: DatabasePair, rules: UriRules) -> Survey:
    with postgres.session(pair.target, move.secrets, writing=True) as connection:
        return survey(connection, SCHEMAS[pair.source.part], rules, moved=list_moved_prefixes(move.places))


def _rewrite_database(move: Move, pair: DatabasePair, rules: UriRules) -> None:
    with postgres.session(pair.target, move.secrets, writing=True) as connection:
        rewrite(connection, SCHEMAS[pair.source.part], rules, moved=list_moved_prefixes(move.places))


def _render_survey(seen: Survey) -> dict[str, object]:
    return {
        "version": seen.version,
        "rewritten": sum(seen.changes.values()),
        "by_column": seen.changes,
        "said_by_people_and_kept": seen.records,
    }


def _cluster(move: Move, rules: UriRules) -> Evidence:
    """Objects of users in the source's cluster that name addresses or start work."""
    source, target = open_clusters(move)
    if source is None or target is None:
        return {"skipped": "relocation.yaml names no kubeconfig for both sides"}
    recurring = recreation.recreate_schedules(source=source, target=target, rules=rules)
    for pair in list_database_pairs(move):
        if pair.source.part == "pipelines":
            folder = own_folder(move.folder / DUMPS)
            recreation.update_run_ids(pair.target, move.secrets, recurring.uids, folder=folder)
    for kind in recreation.SERVICES:
        move.memory.remember(recreation.memory_key_of_kind(kind), {"made": True})
    served = recreation.recreate_models(source=source, target=target, rules=rules)
    every = {recreation.RECURRING.name: recurring, **served}
    return {
        **recreation.summary(every),
        "schedules_with_new_ids": len(recurring.uids),
        "images_to_decide": recreation.images(list(every.values())),
    }


STEP: Final = RelocationStep(name="rewrite", do=do)
