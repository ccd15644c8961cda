"""What each AWS resource of a stack is called in Terraform: its type, its label and the address made of both."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.terraform.types import TYPES
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planning.costs.resources.resource import Resource

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
    """Whether Terraform's AWS provider would build it."""
    return resource.custom and resource.type.startswith(PACKAGE)


def addresses(resources: Iterable[Resource]) -> Mapping[str, Address]:
    """URN to address of every AWS resource; two of one type and name take their parents' names before their own.

    Raises:
        AtollError: a type of AWS that the table does not name.
    """
    ours = [resource for resource in resources if is_aws(resource)]
    short = Counter(_short(resource) for resource in ours)
    taken = Counter[Address]()
    found: dict[str, Address] = {}
    for resource in ours:
        address = _short(resource)
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
    if resource.type not in TYPES:
        raise AtollError(
            f"{resource.name} is of the type {resource.type}, and nothing says what Terraform calls that",
            hint="add a row to TYPES in operations/terraform/types.py",
        )
    return TYPES[resource.type]


def _label(name: str) -> str:
    label = OUTSIDE_LABELS.sub("_", name)
    return label if LABEL_START.match(label) else f"_{label}"
