"""Answers of a source as what a reader takes them for: JSON, text or lines of CSV; all else is said in one sentence."""

from __future__ import annotations

import csv
import json
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypedDict, Unpack, cast

from operations.price_refresh.model import PriceReadError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from operations.price_refresh.model import PriceRequest

REDIRECTS: Final = 3
LONGEST_LINE: Final = 1 << 20  # bytes; a line of the AWS price list has about 2,000
SHOWN: Final = 40  # characters of what came instead


class EndlessLineError(Exception):
    """A line without an end, as what is no text has."""


class HowAsked(TypedDict, total=False):
    """What a request has beside its address; a body is posted as JSON."""

    query: Mapping[str, str | int]
    body: Mapping[str, object]
    headers: Mapping[str, str]
    most_bytes: int


def read_bytes(request: PriceRequest, path: str, **how: Unpack[HowAsked]) -> bytes:
    """What is there under the source's address; `path` begins with a slash. A redirect to another host is refused.

    Raises:
        HttpError: no answer.
        PriceReadError: an answer with a status other than 200.
    """
    url = request.address + path
    method = "POST" if "body" in how else "GET"
    answer = request.session.request(method, url, redirects=REDIRECTS, own_host=True, **how)
    if answer.status != HTTPStatus.OK:
        raise PriceReadError(f"{url} answers {answer.status}")
    return answer.body


def read_json(request: PriceRequest, path: str, **how: Unpack[HowAsked]) -> object:
    """The JSON under a path, as `read_bytes`.

    Raises:
        PriceReadError: it is none: a page of a login, a text that was cut off.
    """
    content = read_bytes(request, path, **how)
    try:
        return cast("object", json.loads(content))
    except (ValueError, RecursionError) as error:
        raise PriceReadError(f"{request.address}{path} answers no JSON but {_begin(content)}") from error


def read_object(request: PriceRequest, path: str, **how: Unpack[HowAsked]) -> Mapping[str, object]:
    """The JSON object under a path, as `read_json`.

    Raises:
        PriceReadError: it is JSON of another kind.
    """
    found = read_json(request, path, **how)
    if not isinstance(found, dict):
        raise PriceReadError(f"{request.address}{path} answers JSON that is no object")
    return cast("dict[str, object]", found)


def as_objects(value: object, *, name: str) -> list[Mapping[str, object]]:
    """A list of JSON objects; `name` says where it stands.

    Raises:
        PriceReadError: it is none.
    """
    if isinstance(value, list) and all(isinstance(each, dict) for each in cast("list[object]", value)):
        return cast("list[Mapping[str, object]]", value)
    raise PriceReadError(f"{name} is no list of objects: the source has changed its form")


def as_object(value: object, *, name: str) -> Mapping[str, object]:
    """A JSON object, as `as_objects`."""
    return as_objects([value], name=name)[0]


def as_text(value: object, *, name: str) -> str:
    """A JSON string, as `as_objects`."""
    if isinstance(value, str):
        return value
    raise PriceReadError(f"{name} is no text: the source has changed its form")


@contextmanager
def open_lines(request: PriceRequest, path: str, *, most_bytes: int) -> Generator[Iterator[str]]:
    """The lines of a text under a path, one by one as they come; for files that are larger than memory should be.

    Raises:
        HttpError: no answer, a status other than 200, or the text broke off.
        PriceReadError: it is no UTF-8, or a line has no end.
    """
    with request.session.stream(request.address + path, most_bytes=most_bytes) as blocks:
        yield _decode_lines(split_lines(blocks, longest=LONGEST_LINE), name=request.address + path)


def split_lines(blocks: Iterable[bytes], *, longest: int) -> Iterator[bytes]:
    """Lines of a text that comes in blocks, without their ends.

    Raises:
        EndlessLineError: a line is longer than the longest, in bytes.
    """
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > longest:
            raise EndlessLineError
        yield from lines
    if rest:
        yield rest


def _decode_lines(lines: Iterable[bytes], *, name: str) -> Iterator[str]:
    try:
        yield from (line.decode() for line in lines)
    except UnicodeDecodeError as error:
        raise PriceReadError(f"{name} is no UTF-8") from error
    except EndlessLineError as error:
        raise PriceReadError(f"{name} is no text of lines") from error


def read_table(lines: Iterable[str], *, name: str, columns: Iterable[str]) -> Iterator[dict[str, str]]:
    """The rows of a CSV whose first line names its columns, which must have those of the contract.

    Raises:
        PriceReadError: a column of the contract is missing, or it is no CSV.
    """
    rows = csv.DictReader(lines, restval="", strict=True)
    try:
        missing = sorted(set(columns) - set(rows.fieldnames or ()))
        if missing:
            raise PriceReadError(f"{name} has no column {', '.join(missing)}: the source has changed its form")
        yield from rows
    except csv.Error as error:
        raise PriceReadError(f"{name}: line {rows.line_num} is no CSV") from error


def _begin(content: bytes) -> str:
    text = " ".join(content[: SHOWN * 4].decode("utf-8", "replace").split())
    return f"{text[:SHOWN]!r}" if text else "nothing"
