from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from operations.relocation.config.endpoints import Places
from operations.relocation.databases import mysql
from operations.relocation.databases.uri_rules import rules_of
from operations.relocation.runner.step import Move, StepError
from operations.relocation.steps.databases import STEP as DATABASES
from operations.relocation.steps.databases import list_database_pairs
from operations.relocation.steps.rewrite import STEP as REWRITE
from operations.relocation.steps.rewrite import list_moved_prefixes, rules_for
from operations.relocation.steps.smoke import STEP as SMOKE
from planning.relocation.steps import NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

KEYS = {"access_key_env": "KEY", "secret_key_env": "SECRET"}
STORE = {"kind": "minio", "endpoint": "http://127.0.0.1:1", "mover": KEYS}


def places(*, uris: Sequence[Mapping[str, str]] = (), here: Sequence[str] = (), there: Sequence[str] = ()) -> Places:
    def side(name: str, parts: Sequence[str]) -> dict[str, object]:
        databases = [
            {"part": part, "engine": "mysql" if part == "pipelines" else "postgresql", "uri_env": f"DB_{number}"}
            for number, part in enumerate(parts)
        ]
        return {"stack": name, "store": STORE, "databases": databases}

    buckets = [{"source": "old", "target": "new"}, {"source": "mlflow", "target": "mlflow"}]
    return Places.model_validate(
        {"source": side("here", here), "target": side("there", there), "buckets": buckets, "uris": list(uris)}
    )


def move(found: Places, folder: Path) -> Move:
    class Nothing:
        def remember(self, key: str, value: object) -> object:
            raise AssertionError((key, value))

        def recall(self, key: str) -> object | None:
            raise AssertionError(key)

    return Move(
        places=found,
        folder=folder,
        secrets={},
        memory=Nothing(),
        say=lambda _: None,
        now=lambda: datetime.now(UTC),
    )


def test_steps_have_names_of_the_plan_and_none_is_taken_back() -> None:
    assert [each.name for each in (DATABASES, REWRITE, SMOKE)] == [
        name for name in NAMES if name in {"databases", "rewrite", "smoke"}
    ]
    assert all(each.undo is None for each in (DATABASES, REWRITE, SMOKE))


def test_a_bucket_that_keeps_its_name_needs_no_rule() -> None:
    found = rules_for(places(uris=[{"source": "s3://old/", "target": "s3://new"}]))
    assert found.apply("s3://old/x") == "s3://new/x"
    assert found.apply("s3://mlflow/x") == "s3://mlflow/x"
    assert "s3://mlflow" in found.settled
    assert [each.source for each in found.moving] == ["s3://old"]
    assert list_moved_prefixes(places())[0] == "s3://old"


def test_a_rule_goes_before_the_name_that_is_kept() -> None:
    found = rules_for(places(uris=[{"source": "s3://mlflow", "target": "s3://elsewhere"}]))
    assert found.apply("s3://mlflow/x") == "s3://elsewhere/x"


def test_rules_that_are_not_sound_are_refused() -> None:
    with pytest.raises(StepError, match=r"`uris` of relocation.yaml: '/mlruns' has no scheme"):
        rules_for(places(uris=[{"source": "/mlruns", "target": "s3://new"}]))


def test_databases_are_paired_and_a_part_may_have_several(tmp_path: Path) -> None:
    found = list_database_pairs(
        move(places(here=["mlflow", "pipelines", "pipelines"], there=["pipelines", "mlflow", "pipelines"]), tmp_path)
    )
    assert [(each.name, each.source.uri_env, each.target.uri_env) for each in found] == [
        ("mlflow", "DB_0", "DB_1"),
        ("pipelines", "DB_1", "DB_0"),
        ("pipelines-2", "DB_2", "DB_2"),
    ]


def test_a_database_of_one_side_only_is_named(tmp_path: Path) -> None:
    with pytest.raises(StepError) as caught:
        list_database_pairs(move(places(here=["mlflow", "grafana"], there=["katib", "mlflow"]), tmp_path))
    assert caught.value.evidence["faults"] == ["grafana is only at the source", "katib is only at the target"]


def test_mysql_is_told_prefixes_as_hexadecimal_in_one_transaction() -> None:
    rules = rules_of([("minio://it's", 'minio://"new')])
    lines = mysql.script(['Arti"fact.uri'], rules).splitlines()
    assert lines[0].startswith("SET SESSION sql_mode")
    assert lines[1] == "START TRANSACTION;"
    assert lines[-1] == "COMMIT;"
    assert len(lines) == 4
    assert lines[2].startswith('UPDATE "Arti""fact" SET "uri" = replace(regexp_replace("uri", CONVERT(X')
    assert "it's" not in lines[2]
    assert b"minio://it's".hex() in lines[2]
    assert "%s" not in lines[2]
    assert "'g'" not in lines[2]
