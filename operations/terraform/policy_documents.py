"""Texts of policies that a program composes of what is known only after creation, with references in these places."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import quote, unquote

from planning.costs.resources.resource import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.terraform.addresses import Address
    from planning.costs.resources.resource import Resource, Value

Documents: TypeAlias = "Mapping[str, Mapping[str, str]]"  # URN to input to text

ACCOUNT: Final = "${data.aws_caller_identity.current.account_id}"
ARN: Final = "arn"
BEFORE_ARN: Final = f"arn:aws:::{ACCOUNT}:"  # a program may take an ARN apart, mostly for its account
PLACE: Final = re.compile(rf"(?:{re.escape(BEFORE_ARN)})?\$\{{(?P<urn>urn%3A[^}}#]+)#(?P<output>[\w.\[\]]+)\}}")


def place(urn: str, output: str) -> str:
    """What stands in a text for an output of a resource until its address is known."""
    return f"{BEFORE_ARN if output == ARN else ''}${{{quote(urn, safe='')}#{output}}}"


def in_addresses(text: str, addresses: Mapping[str, Address]) -> str:
    """The text with `${address.output}` in every place."""
    return PLACE.sub(lambda found: f"${{{addresses[unquote(found['urn'])]}.{found['output']}}}", text)


def composed(planned: Sequence[Resource], answered: Sequence[Resource]) -> Documents:
    """What a preview does not know and an answered run does: the inputs that are JSON objects."""
    texts = {resource.urn: resource.inputs for resource in answered}
    return {
        resource.urn: {
            name: text
            for name, value in resource.inputs.items()
            if isinstance(value, Unknown) and (text := _document(texts.get(resource.urn, {}).get(name)))
        }
        for resource in planned
    }


def _document(value: Value) -> str:
    if not isinstance(value, str) or not value.startswith("{"):
        return ""
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return ""
    return value
