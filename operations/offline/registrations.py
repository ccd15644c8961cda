"""What a registration says on the wire, read into plain values: `Unknown` and `Secret` instead of sentinels."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import UNKNOWN, Secret, UnknownValue

if TYPE_CHECKING:
    from google.protobuf import struct_pb2

    from planning.costs.resources.resource import Value

TOKEN_MARK: Final = "atoll-unknown:"  # noqa: S105 - marks an unknown, guards nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """The magic strings of the SDK's wire format."""

    sentinel: str
    key: str
    secret: str
    resource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An unknown that names its origin while it travels as a string."""

    urn: str
    output: str

    def text(self) -> str:
        return TOKEN_MARK + json.dumps([self.urn, self.output])

    @classmethod
    def parse(cls, text: str) -> Token:
        """The token that `text` wrote."""
        urn, output = json.loads(text.removeprefix(TOKEN_MARK))
        return cls(urn=str(urn), output=str(output))


def read_fields(fields: struct_pb2.Struct, *, signatures: Signatures) -> dict[str, Value]:
    """The inputs of one registration, by their wire names; absent values are left out."""
    read = {name: _read(value, signatures=signatures) for name, value in fields.fields.items()}
    return {name: value for name, value in read.items() if value is not None}


def _read(value: struct_pb2.Value, *, signatures: Signatures) -> Value:
    match value.WhichOneof("kind"):
        case "string_value":
            return _text(value.string_value, signatures=signatures)
        case "number_value":
            return _number(value.number_value)
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_read(part, signatures=signatures) for part in value.list_value.values]
        case "struct_value":
            return _struct(value.struct_value, signatures=signatures)
        case _:
            return None


def _text(text: str, *, signatures: Signatures) -> Value:
    if text == signatures.sentinel:
        return UNKNOWN
    if text.startswith(TOKEN_MARK):
        token = Token.parse(text)
        return UnknownValue(urn=token.urn, output=token.output)
    return text


def _number(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _struct(fields: struct_pb2.Struct, *, signatures: Signatures) -> Value:
    signature = fields.fields[signatures.key].string_value if signatures.key in fields.fields else ""
    if signature == signatures.secret:
        return Secret()
    if signature == signatures.resource:
        return UnknownValue(urn=fields.fields["urn"].string_value, output="id")
    plain = read_fields(fields, signatures=signatures)
    plain.pop(signatures.key, None)
    return plain
