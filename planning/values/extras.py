"""Optional dependencies of pyproject.toml: which of them brings a package that a command could not import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Mapping

# By the name that is imported; a test compares them with pyproject.toml.
EXTRAS: Final[Mapping[str, str]] = {
    "boto3": "aws",
    "botocore": "aws",
    "google.api_core": "gcp",
    "google.auth": "gcp",
    "google.cloud": "gcp",
    "google.protobuf": "pulumi",
    "grpc": "pulumi",
    "kubernetes": "cluster",
    "mkdocs": "handbook",
    "psycopg": "relocation",
    "pulumi": "pulumi",
    "pulumi_aws": "aws",
    "pulumi_azure": "azure",
    "pulumi_coreweave": "coreweave",
    "pulumi_gcp": "gcp",
    "pulumi_kubernetes": "pulumi",
    "pulumi_policy": "pulumi",
    "pulumi_random": "pulumi",
}


def find_missing_extra(fault: BaseException) -> AtollError | None:
    """The extra to install, where a fault is a package of one that is not installed; None for any other fault."""
    if not isinstance(fault, ModuleNotFoundError):
        return None
    name = fault.name or ""
    package = next((known for known in EXTRAS if name == known or name.startswith(f"{known}.")), "")
    if not package:
        return None
    return AtollError(
        f"this command needs the Python package {package}, which is not installed",
        hint=f'pip install "atoll[{EXTRAS[package]}]", or "atoll[all]" for every command',
    )
