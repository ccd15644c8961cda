"""Which columns of a database say where something lies, and how its schema's version is told.

Looked at in the package mlflow 3.15.1 (store/tracking/dbmodels/models.py, store/model_registry/dbmodels/models.py,
utils/mlflow_tags.py, tracing/constant.py), on 2026-11-22; a test holds the table against a database that it made.

Looked at in kubeflow/model-registry, internal/platform/db/postgres/migrations, at v0.3.8 and commit fc46cea3 (migration
26), on 2026-11-22.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from operations.relocation.databases.sql import MetadataError, join_sql, quote_identifier, rows, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from operations.relocation.databases.sql import DatabaseConnection


Holds = Literal["address", "text", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that holds addresses.

    Args:
        holds: "address" where the whole value is one, that the server opens; "text" where addresses stand in it
            (JSON, a tag) and are rewritten; "record" where a person or a model said it: counted, never changed.
        limit: longest value in characters; 0 for none.
        keys: only rows with one of these in the column `key`.
        other_keys: only rows with none of these in it.
    """

    table: str
    name: str
    holds: Holds
    limit: int = 0
    keys: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """As in trace_tags.value[mlflow.artifactLocation]."""
        return f"{self.table}.{self.name}" + (f"[{', '.join(self.keys)}]" if self.keys else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A database of one part, as its software of one version makes it.

    Args:
        known: versions whose columns were looked at, to what they belong to.
        version_table: where the version stands.
        clean: condition on that table without which a migration was broken off; "" for none.
        names: other columns of text, that hold names, ids and words of the software, by table.
    """

    title: str
    known: Mapping[str, str]
    version_table: str
    version_column: str
    columns: tuple[Column, ...]
    names: Mapping[str, tuple[str, ...]]
    clean: str = ""

    def of(self, *holds: Holds) -> tuple[Column, ...]:
        return tuple(each for each in self.columns if each.holds in holds)


def version_of(connection: DatabaseConnection, schema: Schema) -> str:
    """The version that the database says it has.

    Raises:
        MetadataError: none, more than one, one that is not known, or one that a migration left half done.
    """
    if schema.version_table not in tables_of(connection):
        raise MetadataError(
            f"{schema.title}: there is no table {schema.version_table}, so it is not known what this is"
        )
    asked = join_sql("SELECT", quote_identifier(schema.version_column), "FROM", quote_identifier(schema.version_table))
    found = [str(each[0]) for each in rows(connection, asked)]
    if len(found) != 1:
        raise MetadataError(f"{schema.title}: {schema.version_table} has {len(found)} versions, not one")
    if found[0] not in schema.known:
        known = ", ".join(f"{version} ({title})" for version, title in schema.known.items())
        raise MetadataError(f"{schema.title}: schema version {found[0]} is not known; known: {known}")
    if schema.clean and not rows(connection, join_sql(asked, "WHERE", schema.clean)):
        raise MetadataError(f"{schema.title}: the migration to version {found[0]} was broken off")
    return found[0]


TRACE_KEYS: Final = ("mlflow.artifactLocation", "mlflow.trace.archiveLocation")
ADDRESSES: Final[Mapping[str, Mapping[str, int]]] = {
    "experiments": {"artifact_location": 256},
    "runs": {"artifact_uri": 200},
    "logged_models": {"artifact_location": 1000},
    "model_versions": {"source": 500, "storage_location": 500},
    "workspaces": {"default_artifact_root": 0, "trace_archival_location": 0},
}
TEXTS: Final[Mapping[str, Mapping[str, int]]] = {
    "datasets": {"dataset_source": 0},
    "evaluation_dataset_tags": {"value": 5000},
    "experiment_tags": {"value": 5000},
    "input_tags": {"value": 500},
    "logged_model_params": {"param_value": 0},
    "logged_model_tags": {"tag_value": 0},
    "model_version_tags": {"value": 0},
    "model_versions": {"run_link": 500},
    "params": {"value": 8000},
    "registered_model_tags": {"value": 5000},
    "tags": {"value": 8000},  # mlflow.log-model.history among them, with addresses of models
}
# What people and models said, and descriptions of services outside: evidence, part of it hashed (input_hash).
RECORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "assessments": ("value", "error", "rationale", "assessment_metadata"),
    "datasets": ("dataset_schema", "dataset_profile"),
    "endpoint_tags": ("value",),
    "endpoints": ("fallback_config_json",),
    "evaluation_dataset_records": ("inputs", "expectations", "tags", "source", "outputs"),
    "evaluation_datasets": ("schema", "profile"),
    "issues": ("description", "root_causes", "categories"),
    "jobs": ("params", "result", "status_details"),
    "label_schemas": ("instruction", "input_config"),
    "logged_models": ("status_message",),
    "mcp_access_endpoints": ("url",),
    "mcp_server_tags": ("value",),
    "mcp_server_version_tags": ("value",),
    "mcp_server_versions": ("server_json", "tools", "source", "connect_options"),
    "mcp_servers": ("description", "icons"),
    "model_versions": ("description", "status_message"),
    "online_scoring_configs": ("filter_string",),
    "registered_models": ("description",),
    "runs": ("source_name",),
    "scorer_versions": ("serialized_scorer",),
    "secrets": ("auth_config", "description"),
    "spans": ("content", "dimension_attributes"),
    "trace_info": ("request_preview", "response_preview"),
    "trace_request_metadata": ("value",),
    "webhooks": ("description", "url"),
    "workspaces": ("description",),
}
# Names, keys and people, in which no address stands.
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "assessments": ("name", "source_id"),
    "budget_policies": ("created_by", "last_updated_by", "target_value"),
    "datasets": ("name",),
    "endpoint_bindings": ("resource_id", "created_by", "last_updated_by", "display_name"),
    "endpoint_model_mappings": ("created_by", "linkage_type"),
    "endpoint_tags": ("key",),
    "endpoints": ("name", "created_by", "last_updated_by", "routing_strategy"),
    "evaluation_dataset_records": ("source_type", "created_by", "last_updated_by", "input_hash"),
    "evaluation_dataset_tags": ("key",),
    "evaluation_datasets": ("name", "digest", "created_by", "last_updated_by"),
    "experiment_tags": ("key",),
    "experiments": ("name",),
    "guardrail_configs": ("created_by",),
    "guardrails": ("name", "created_by", "last_updated_by"),
    "input_tags": ("name",),
    "issues": ("name", "created_by"),
    "jobs": ("job_name",),
    "label_schemas": ("name", "created_by"),
    "latest_metrics": ("key",),
    "logged_model_metrics": ("metric_name", "dataset_name"),
    "logged_model_params": ("param_key",),
    "logged_model_tags": ("tag_key",),
    "logged_models": ("name", "model_type"),
    "mcp_access_endpoints": ("server_name", "server_version", "server_alias", "created_by", "last_updated_by"),
    "mcp_server_aliases": ("name", "alias", "version"),
    "mcp_server_tags": ("name", "key"),
    "mcp_server_version_tags": ("name", "version", "key"),
    "mcp_server_versions": ("name", "version", "version_prerelease_sort_key", "created_by", "last_updated_by"),
    "mcp_servers": ("name", "display_name", "created_by", "last_updated_by"),
    "metrics": ("key",),
    "model_definitions": ("name", "provider", "model_name", "created_by", "last_updated_by"),
    "model_version_tags": ("key", "name"),
    "model_versions": ("name", "user_id"),
    "params": ("key",),
    "registered_model_aliases": ("alias", "name"),
    "registered_model_tags": ("key", "name"),
    "registered_models": ("name",),
    "review_queue_items": ("completed_by",),
    "review_queue_users": ("user_id",),
    "review_queues": ("name", "created_by", "name_key"),
    "runs": ("name", "user_id"),
    "scorers": ("scorer_name",),
    "secrets": ("secret_name", "masked_value", "provider", "created_by", "last_updated_by"),
    "span_metrics": ("key",),
    "spans": ("name", "type"),
    "tags": ("key",),
    "trace_metrics": ("key",),
    "trace_request_metadata": ("key",),
    "trace_tags": ("key",),
    "webhooks": ("webhook_id", "name", "secret"),
    "webhook_events": ("webhook_id",),
}


def _columns() -> Iterator[Column]:
    yield Column(table="trace_tags", name="value", holds="address", limit=8000, keys=TRACE_KEYS)
    yield Column(table="trace_tags", name="value", holds="text", limit=8000, other_keys=TRACE_KEYS)
    found: tuple[tuple[Holds, Mapping[str, Mapping[str, int]]], ...] = (("address", ADDRESSES), ("text", TEXTS))
    for holds, tables in found:
        for table, names in tables.items():
            for name, limit in names.items():
                yield Column(table=table, name=name, holds=holds, limit=limit)
    for table, names in RECORDS.items():
        yield from (Column(table=table, name=name, holds="record") for name in names)


MLFLOW: Final = Schema(
    title="MLflow's database",
    known={"6f8d9c3b2a1e": "MLflow 3.15"},
    version_table="alembic_version",
    version_column="version_num",
    columns=tuple(_columns()),
    names=NAMES,
)
# Rows here are somebody's work: a server that was only installed has none.
MLFLOW_WORK: Final = ("runs", "logged_models", "registered_models", "trace_info", "evaluation_datasets")


HUB: Final = Schema(
    title="Kubeflow Hub's database",
    known={"25": "Kubeflow Hub 0.3", "26": "Kubeflow Hub 0.3 with names of catalogs"},
    version_table="schema_migrations",
    version_column="version",
    columns=(
        Column(table="Artifact", name="uri", holds="address"),
        Column(table="ArtifactProperty", name="string_value", holds="text"),
        Column(table="ContextProperty", name="string_value", holds="text"),
        Column(table="ExecutionProperty", name="string_value", holds="text"),
    ),
    names={
        "Artifact": ("name", "external_id"),
        "ArtifactProperty": ("name",),
        "Context": ("name", "external_id"),
        "ContextProperty": ("name",),
        "EventPath": ("step_key",),
        "Execution": ("name", "external_id"),
        "ExecutionProperty": ("name",),
        "Type": ("name", "version", "description", "input_type", "output_type", "external_id"),
        "TypeProperty": ("name",),
    },
    clean="NOT dirty",
)
HUB_WORK: Final = ("Artifact", "Context", "Execution")
