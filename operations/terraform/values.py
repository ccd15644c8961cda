"""One input of a resource as the four readings a Terraform plan gives of it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import catalogs
from catalogs import parsing
from planning.costs.resources.resource import Secret, UnknownValue
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from operations.offline.plan_json import Json
    from planning.costs.resources.resource import Resource, Value


CAPITAL: Final = re.compile(r"(?<!^)([A-Z])")
TABLE: Final = Path(catalogs.__file__).parent / "resources/terraform_types.csv"
# Inputs whose keys are the user's own words, not names of the provider.
MAPS: Final = frozenset({
    "backupOptions", "dimensions", "finalBackupTags", "headerParameters", "inputPaths", "labels",
    "queryStringParameters", "recoveryPointTags", "tags", "tagsAll", "triggers", "volumeTags",
})  # fmt: skip
# One object in Terraform, not a block: everything else that holds an object becomes a list of one.
OBJECTS: Final = frozenset({"timeouts"})
# A list of one in Terraform, where Pulumi takes the one value.
LISTED: Final = frozenset({("aws_fsx_lustre_file_system", "subnet_ids")})


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformType:
    """How Terraform calls a type of Pulumi's.

    The table was read on 2026-11-21 from both schemas: pulumi-aws 7, and hashicorp/aws 5.100 (`terraform providers
    schema`).

    Args:
        renamed: what Pulumi calls an input, in snake case, to what Terraform calls it, at any depth of the type.
    """

    pulumi: str
    terraform: str
    renamed: Mapping[str, str]


def _read_type(row: Mapping[str, str]) -> TerraformType:
    renamed = dict(pair.split("=") for pair in row["renamed_inputs"].split())
    return TerraformType(pulumi=row["pulumi_type"], terraform=row["terraform_type"], renamed=renamed)


@cache
def read_types() -> Mapping[str, TerraformType]:
    """Every row of the table, by Pulumi's type."""
    return {each.pulumi: each for each in parsing.read_rows(TABLE, _read_type)}


@cache
def _read_input_names() -> Mapping[str, Mapping[str, str]]:
    return {each.terraform: each.renamed for each in read_types().values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformValue:
    """One value, as `terraform show -json` says it.

    Args:
        value: what is known of it; None for an unknown or a secret.
        unknown: True where it is known only after creation; inside a list or an object, part by part.
        sensitive: the same for what may not be shown.
        expression: constant or references, as the configuration states it.
    """

    value: Json
    unknown: Json = False
    sensitive: Json = False
    expression: Json

    @property
    def absent(self) -> bool:
        """Nothing of it is known."""
        return self.value is None and self.unknown is True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads the inputs of one resource.

    Args:
        terraform_type: whose names of blocks and inputs hold.
        addresses: URN to address, of everything that can be referred to.
        origins: URNs that the input at hand comes from, for an unknown that does not say its own.
    """

    terraform_type: str
    addresses: Mapping[str, Address]
    origins: tuple[str, ...] = ()

    def name(self, pulumi_name: str) -> str:
        name = snake_case(pulumi_name)
        return _read_input_names()[self.terraform_type].get(name, name)

    def read(self, pulumi_name: str, value: Value) -> TerraformValue:
        if isinstance(value, dict):
            if pulumi_name in MAPS:
                return self._map(value)
            one = self._object(value)
            return one if pulumi_name in OBJECTS else _in_list(one)
        if isinstance(value, list):
            return self._list(pulumi_name, value)
        if (self.terraform_type, self.name(pulumi_name)) in LISTED:
            return self._list(pulumi_name, [value])
        return self._leaf(value)

    def _leaf(self, value: str | float | UnknownValue | Secret | None) -> TerraformValue:
        if isinstance(value, Secret):
            return TerraformValue(value=None, unknown=True, sensitive=True, expression={})
        if isinstance(value, UnknownValue):
            return TerraformValue(value=None, unknown=True, expression=_referring(self._references(value)))
        return TerraformValue(value=value, expression=self._constant(value))

    def _constant(self, value: Json) -> Json:
        """A constant, unless it is handed on by another resource."""
        return _referring(self._origins()) or {"constant_value": value}

    def _object(self, fields: dict[str, Value]) -> TerraformValue:
        parts = {self.name(key): self.read(key, value) for key, value in sorted(fields.items())}
        return TerraformValue(
            value={key: part.value for key, part in parts.items() if not part.absent},
            unknown={key: part.unknown for key, part in parts.items() if part.unknown is not False},
            sensitive={key: part.sensitive for key, part in parts.items() if part.sensitive is not False},
            expression={key: part.expression for key, part in parts.items()},
        )

    def _map(self, fields: dict[str, Value]) -> TerraformValue:
        parts = {key: self.read("", value) for key, value in sorted(fields.items())}
        value: Json = {key: part.value for key, part in parts.items() if not part.absent}
        return TerraformValue(
            value=value,
            unknown={key: part.unknown for key, part in parts.items() if part.unknown is not False},
            sensitive={key: part.sensitive for key, part in parts.items() if part.sensitive is not False},
            expression=_merge_references(parts.values()) or self._constant(value),
        )

    def _list(self, pulumi_name: str, values: list[Value]) -> TerraformValue:
        blocks = [each for each in values if isinstance(each, dict)]
        if blocks and len(blocks) == len(values):
            parts = [self._object(each) for each in blocks]
            return _combine_list(parts, expression=[part.expression for part in parts])
        parts = [self.read(pulumi_name, each) if isinstance(each, dict | list) else self._leaf(each) for each in values]
        return _combine_list(
            parts, expression=_merge_references(parts) or self._constant([part.value for part in parts])
        )

    def _references(self, value: UnknownValue) -> list[str]:
        """Output first, as Terraform lists them, then the resource it is of."""
        address = self.addresses.get(value.urn)
        if address is None:
            return self._origins()
        output = [f"{address}.{snake_case(value.output)}"] if value.output else []
        return [*output, str(address)]

    def _origins(self) -> list[str]:
        return [str(self.addresses[urn]) for urn in self.origins if urn in self.addresses]


def snake_case(name: str) -> str:
    """Pulumi's names in Terraform's spelling: each capital starts a word."""
    return CAPITAL.sub(r"_\1", name).lower()


def _in_list(one: TerraformValue) -> TerraformValue:
    return _combine_list([one], expression=[one.expression])


def _combine_list(parts: list[TerraformValue], *, expression: Json) -> TerraformValue:
    return TerraformValue(
        value=[part.value for part in parts],
        unknown=[part.unknown for part in parts],
        sensitive=[part.sensitive for part in parts],
        expression=expression,
    )


def _merge_references(parts: Iterable[TerraformValue]) -> Json:
    """References of all parts, each once; nothing where there are none."""
    found: dict[str, None] = {}
    for part in parts:
        if isinstance(part.expression, dict) and isinstance(references := part.expression.get("references"), list):
            found |= {each: None for each in references if isinstance(each, str)}
    return _referring(list(found))


def _referring(references: list[str]) -> Json:
    return {"references": [*references]} if references else {}


PACKAGE: Final = "aws:"
OUTSIDE_LABELS: Final = re.compile(r"[^A-Za-z0-9_-]")
LABEL_START: Final = re.compile(r"[A-Za-z_]")


@dataclass(frozen=True, slots=True)
class Address:
    """`type.label`, unique in a plan."""

    type: str
    label: str

    def __str__(self) -> str:
        return f"{self.type}.{self.label}"


def is_aws(resource: Resource) -> bool:
    return resource.custom and resource.type.startswith(PACKAGE)


def addresses(resources: Iterable[Resource]) -> Mapping[str, Address]:
    """URN to address of every AWS resource.

    Raises:
        AtollError: a type of AWS that the table does not name.
    """
    ours = [resource for resource in resources if is_aws(resource)]
    short = Counter(_short(resource) for resource in ours)
    taken = Counter[Address]()
    found: dict[str, Address] = {}
    for resource in ours:
        address = _short(resource)
        # Both get the long one: an address that depends on the order would move with the next resource.
        if short[address] > 1:
            address = _long(resource)
        taken[address] += 1
        again = f"_{taken[address]}" if taken[address] > 1 else ""
        found[resource.urn] = Address(address.type, address.label + again)
    return found


def _short(resource: Resource) -> Address:
    return Address(_terraform_type(resource), _label(resource.name))


def _long(resource: Resource) -> Address:
    parent = resource.parent.rpartition("::")[2] if resource.parent else "stack"
    return Address(_terraform_type(resource), _label(f"{parent}_{resource.name}"))


def _terraform_type(resource: Resource) -> str:
    found = read_types().get(resource.type)
    if found is None:
        raise AtollError(
            f"{resource.name} is of the type {resource.type}, and nothing says what Terraform calls that",
            hint="add a row to catalogs/resources/terraform_types.csv",
        )
    return found.terraform


def _label(name: str) -> str:
    label = OUTSIDE_LABELS.sub("_", name)
    return label if LABEL_START.match(label) else f"_{label}"
