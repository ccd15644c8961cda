from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uri_tables import every, made, put

from operations.relocation.databases.schema import HUB, MLFLOW
from operations.relocation.databases.sql import MetadataError
from operations.relocation.databases.uri_rewrite import addresses, rewrite, survey
from operations.relocation.databases.uri_rules import rules_of

RULES = rules_of([("s3://old/runs", "s3://new"), ("s3://old", "s3://rest"), ("s3://kept", "s3://kept")])
PIECES = st.sampled_from(
    ["s3://old", "s3://old/runs", "/", "a", '"', " ", "-", "s3://kept", "é", "%s", "'", "\\", "s3://rest", "."]
)


def example() -> sqlite3.Connection:
    found = made()
    put(found, "experiments", artifact_location="s3://old/runs/1", name="one")
    put(found, "experiments", artifact_location="mlflow-artifacts:/2", name="two")
    put(found, "runs", artifact_uri="s3://old/runs/1/r/artifacts", source_name="s3://old/train.py")
    put(found, "model_versions", source="models:/m-1", storage_location="s3://old/m", description="was s3://old/m")
    put(found, "model_versions", source="prompt-template", storage_location=None)
    put(found, "trace_tags", key="mlflow.artifactLocation", value="s3://old/runs/1/traces/t/artifacts")
    put(found, "trace_tags", key="note", value="of s3://old/x")
    put(found, "tags", key="mlflow.log-model.history", value=json.dumps([{"artifact_path": "s3://old/runs/1/m"}]))
    put(found, "datasets", dataset_source='{"uri": "s3://old/set.csv"}', name="set")
    return found


def test_every_column_is_rewritten_and_what_people_said_is_not() -> None:
    with closing(example()) as found:
        done = rewrite(found, MLFLOW, RULES)
        assert every(found, "experiments", "artifact_location") == ["s3://new/1", "mlflow-artifacts:/2"]
        assert every(found, "runs", "artifact_uri") == ["s3://new/1/r/artifacts"]
        assert every(found, "model_versions", "storage_location") == ["s3://rest/m", None]
        assert every(found, "model_versions", "source") == ["models:/m-1", "prompt-template"]
        assert every(found, "model_versions", "description") == ["was s3://old/m", None]
        assert every(found, "trace_tags", "value") == ["s3://new/1/traces/t/artifacts", "of s3://rest/x"]
        assert every(found, "tags", "value") == ['[{"artifact_path": "s3://new/1/m"}]']
        assert every(found, "datasets", "dataset_source") == ['{"uri": "s3://rest/set.csv"}']
    assert sum(done.changes.values()) == 7
    assert done.records == {"model_versions.description": 1, "runs.source_name": 1}


def test_a_dry_run_says_the_same_and_changes_nothing() -> None:
    with closing(example()) as found:
        before = list(found.iterdump())
        seen = survey(found, MLFLOW, RULES)
        assert list(found.iterdump()) == before
        assert rewrite(found, MLFLOW, RULES) == seen


def test_the_second_time_changes_nothing() -> None:
    with closing(example()) as found:
        rewrite(found, MLFLOW, RULES)
        before = list(found.iterdump())
        assert rewrite(found, MLFLOW, RULES).changes == {}
        assert list(found.iterdump()) == before


def test_an_address_that_fits_no_rule_stops_everything() -> None:
    with closing(example()) as found:
        put(found, "runs", artifact_uri="s3://elsewhere/1")
        put(found, "runs", artifact_uri="./mlruns/0")
        before = list(found.iterdump())
        with pytest.raises(MetadataError, match=r"2 in runs\.artifact_uri \(as \./mlruns/0, s3://elsewhere/1\)"):
            rewrite(found, MLFLOW, RULES)
        assert list(found.iterdump()) == before
        declared = rules_of(
            [(each.source, each.target) for each in RULES.rules] + [("s3://elsewhere", "s3://elsewhere")]
        )
        put(found, "experiments", artifact_location="file:/x")
        assert [each.column for each in survey(found, MLFLOW, declared).orphans] == [
            "experiments.artifact_location",
            "runs.artifact_uri",
        ]


def test_a_text_that_names_what_moves_and_fits_no_rule_is_an_orphan() -> None:
    with closing(example()) as found:
        put(found, "params", key="data", value="s3://sets/train")
        put(found, "params", key="data", value="s3://public/train")
        seen = survey(found, MLFLOW, RULES, moved=["s3://sets", "s3://old"])
        assert [(each.column, each.examples) for each in seen.orphans] == [("params.value", ("s3://sets/train",))]


def test_an_address_that_becomes_too_long_is_counted_before_anything_is_written() -> None:
    long = rules_of([("s3://old", f"s3://{'n' * 60}/{'p' * 150}")])
    with closing(example()) as found:
        (stray,) = survey(found, MLFLOW, long).too_long
        assert (stray.column, stray.count, len(stray.examples)) == ("runs.artifact_uri", 1, 1)
        assert stray.examples[0].startswith("s3://old")
        with pytest.raises(MetadataError, match="too long for their column"):
            rewrite(found, MLFLOW, long)


def test_what_would_be_refused_is_found_without_counting_the_rest() -> None:
    with closing(example()) as found:
        put(found, "runs", artifact_uri="s3://elsewhere/1")
        whole, short = survey(found, MLFLOW, RULES), survey(found, MLFLOW, RULES, counting=False)
        assert whole.changes
        assert (short.changes, short.records) == ({}, {})
        assert (short.orphans, short.too_long) == (whole.orphans, whole.too_long)


def test_a_schema_that_is_not_known_is_refused_with_those_that_are() -> None:
    with closing(made(version="ffffffffffff")) as found, pytest.raises(MetadataError) as caught:
        survey(found, MLFLOW, RULES)
    assert "schema version ffffffffffff is not known; known: 6f8d9c3b2a1e (MLflow 3.15)" in str(caught.value)


@pytest.mark.parametrize("statement", ["DELETE FROM alembic_version", "INSERT INTO alembic_version VALUES ('x')"])
def test_a_database_without_exactly_one_version_is_refused(statement: str) -> None:
    with closing(made()) as found:
        found.execute(statement)
        with pytest.raises(MetadataError, match=r"has \d versions, not one"):
            survey(found, MLFLOW, RULES)


def test_a_database_of_something_else_is_refused() -> None:
    with closing(sqlite3.connect(":memory:")) as found, pytest.raises(MetadataError, match="no table alembic_version"):
        survey(found, MLFLOW, RULES)


def test_without_rules_nothing_is_done() -> None:
    with closing(made()) as found:
        put(found, "experiments", artifact_location="mlflow-artifacts:/2", name="two")
        assert rewrite(found, MLFLOW, rules_of([])).changes == {}


def test_the_hub_is_rewritten_unless_its_migration_was_broken_off() -> None:
    with closing(made(HUB, "25")) as found:
        put(found, "Artifact", uri="s3://old/runs/model", name="m")
        put(found, "ArtifactProperty", name="storage_path", string_value="s3://old/x")
        assert rewrite(found, HUB, RULES).changes == {"Artifact.uri": 1, "ArtifactProperty.string_value": 1}
        assert every(found, "Artifact", "uri") == ["s3://new/model"]
        assert addresses(found, HUB) == {"s3://new/model": {"Artifact.uri"}}
        found.execute("UPDATE schema_migrations SET dirty = 1")
        with pytest.raises(MetadataError, match="was broken off"):
            survey(found, HUB, RULES)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_sql_rewrites_as_the_rules_say(text: str) -> None:
    with closing(made()) as found:
        put(found, "tags", key="t", value=text)
        put(found, "logged_models", artifact_location=f"s3://old{text}")
        pairs = [(each.source, each.target) for each in RULES.rules]
        whole = f"s3://old{text}".rstrip("/")
        declared = [] if any(each.covers(whole) for each in RULES.rules) else [(whole, whole)]
        rules = rules_of([*pairs, *declared])
        rewrite(found, MLFLOW, rules)
        assert every(found, "tags", "value") == [rules.apply_within(text)]
        assert every(found, "logged_models", "artifact_location") == [rules.apply(f"s3://old{text}")]
