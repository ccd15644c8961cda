"""A stack's AWS resources as the JSON that `terraform show -json` writes of a plan that creates all of them.

Source of the form: https://developer.hashicorp.com/terraform/internals/json-format (read 2026-11-21), format 1.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from operations.terraform.policy_documents import in_addresses
from operations.terraform.values import Reader, TerraformValue, addresses, is_aws, snake_case
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.offline.plan_json import Json
    from operations.terraform.policy_documents import Documents
    from operations.terraform.values import Address
    from planning.costs.resources.resource import Resource

FORMAT_VERSION: Final = "1.2"
TERRAFORM_VERSION: Final = "1.11.4"  # whose form this is; nothing of it runs
PROVIDER: Final = "aws"
PROVIDER_SOURCE: Final = "registry.terraform.io/hashicorp/aws"


def terraform_plan(resources: Sequence[Resource], *, documents: Documents | None = None) -> dict[str, Json]:
    """The plan of every AWS resource; what belongs to other providers is left out.

    Raises:
        InputError: there is no AWS resource at all.
        AtollError: an AWS resource of a type that Terraform's name is not known of.
    """
    known = addresses(resources)
    if not known:
        raise InputError("this stack builds nothing on AWS", hint="--format terraform writes AWS resources only")
    ours = [resource for resource in resources if is_aws(resource)]
    regions = _regions(resources)
    # A document that is composed of unknowns is unknown to Terraform; its text is shown all the same, for scanners read
    # it, with `${address.output}` in the place of each unknown.
    texts = documents or {}
    read = {each.urn: _with_documents(_inputs(each, known), texts.get(each.urn, {}), known) for each in ours}
    return {
        "format_version": FORMAT_VERSION,
        "terraform_version": TERRAFORM_VERSION,
        "planned_values": {"root_module": {"resources": [_build_planned(known[urn], read[urn]) for urn in read]}},
        "resource_changes": [_change(known[urn], read[urn]) for urn in read],
        "configuration": {
            "provider_config": {key: _provider(key, regions[key]) for key in sorted(regions)},
            "root_module": {"resources": [_build_configuration(each, known, read[each.urn]) for each in ours]},
        },
        "errored": False,
    }


def list_non_aws(resources: Sequence[Resource]) -> tuple[Resource, ...]:
    """Resources of other providers, which a Terraform plan of AWS does not hold."""
    return tuple(resource for resource in resources if resource.custom and not is_aws(resource))


def _inputs(resource: Resource, known: Mapping[str, Address]) -> dict[str, TerraformValue]:
    terraform_type = known[resource.urn].type
    found: dict[str, TerraformValue] = {}
    for name, value in sorted(resource.inputs.items()):
        origins = resource.property_dependencies.get(name, ())
        reader = Reader(terraform_type=terraform_type, addresses=known, origins=origins)
        found[reader.name(name)] = reader.read(name, value)
    return found


def _with_documents(
    inputs: Mapping[str, TerraformValue], texts: Mapping[str, str], known: Mapping[str, Address]
) -> dict[str, TerraformValue]:
    """The inputs, and the text of each that is a composed document."""
    shown = {snake_case(name): in_addresses(text, known) for name, text in texts.items()}
    return {
        name: replace(reading, value=shown[name]) if reading.absent and name in shown else reading
        for name, reading in inputs.items()
    }


def _build_planned(address: Address, inputs: Mapping[str, TerraformValue]) -> Json:
    return {
        **_identity(address),
        "provider_name": PROVIDER_SOURCE,
        "schema_version": 0,
        "values": _select_known(inputs),
        "sensitive_values": _marks(inputs, "sensitive"),
    }


def _change(address: Address, inputs: Mapping[str, TerraformValue]) -> Json:
    change: Json = {
        "actions": ["create"],
        "before": None,
        "after": _select_known(inputs),
        "after_unknown": {**_marks(inputs, "unknown"), "id": True},
        "before_sensitive": False,
        "after_sensitive": _marks(inputs, "sensitive"),
    }
    return {**_identity(address), "provider_name": PROVIDER_SOURCE, "change": change}


def _build_configuration(
    resource: Resource, known: Mapping[str, Address], inputs: Mapping[str, TerraformValue]
) -> Json:
    return {
        **_identity(known[resource.urn]),
        "provider_config_key": _provider_key(resource.provider),
        "schema_version": 0,
        "expressions": {name: reading.expression for name, reading in inputs.items()},
        "depends_on": [str(known[urn]) for urn in resource.dependencies if urn in known],
    }


def _identity(address: Address) -> dict[str, Json]:
    return {"address": str(address), "mode": "managed", "type": address.type, "name": address.label}


def _select_known(inputs: Mapping[str, TerraformValue]) -> dict[str, Json]:
    return {name: reading.value for name, reading in inputs.items() if not reading.absent}


def _marks(inputs: Mapping[str, TerraformValue], which: str) -> dict[str, Json]:
    marks = {name: reading.unknown if which == "unknown" else reading.sensitive for name, reading in inputs.items()}
    return {name: mark for name, mark in marks.items() if mark is not False}


def _regions(resources: Sequence[Resource]) -> dict[str, Json]:
    """Region by provider's key, of each provider that an AWS resource names; None where it is not known."""
    urns = {resource.provider for resource in resources if is_aws(resource)}
    named = {resource.urn: resource.inputs.get("region") for resource in resources if resource.urn in urns}
    regions = {_provider_key(urn): named.get(urn) if urn else None for urn in urns}
    return {key: region if isinstance(region, str) else None for key, region in regions.items()}


def _provider_key(urn: str | None) -> str:
    name = urn.rpartition("::")[2] if urn else PROVIDER
    return PROVIDER if name == PROVIDER else f"{PROVIDER}.{name}"


def _provider(key: str, region: Json) -> Json:
    alias = key.partition(".")[2]
    return {
        "name": PROVIDER,
        "full_name": PROVIDER_SOURCE,
        **({"alias": alias} if alias else {}),
        "expressions": {"region": {"constant_value": region}} if region is not None else {},
    }
