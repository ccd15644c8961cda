"""Where the database of Kubeflow Hub's registry says where models lie.

Looked at in kubeflow/model-registry, internal/platform/db/postgres/migrations, at v0.3.8 and commit fc46cea3 (migration
26), on 2026-11-22.
"""

from __future__ import annotations

from typing import Final

from operations.relocation.databases.schema import Column, Schema

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
