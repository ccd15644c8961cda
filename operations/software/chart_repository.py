"""Digests in classic chart repositories, which keep them in one index."""

from __future__ import annotations

from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urljoin

import yaml

from catalogs.software.model import DIGEST
from operations.project.http import HttpError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.software.registry import Fetch

LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Index = dict[str, list[dict[str, object]]]


def read_index(repository: str, *, fetch: Fetch) -> Index:
    """Entries of a repository's index by the name of their chart.

    Raises:
        HttpError: there is none.
    """
    url = f"{repository.rstrip('/')}/index.yaml"
    answer = fetch(url)
    if answer.status != HTTPStatus.OK:
        raise HttpError(f"{url}: the repository answers {answer.status}")
    try:
        found = cast("object", yaml.load(answer.body, Loader=LOADER))  # noqa: S506 - a safe loader, in C where it is there
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HttpError(f"{url} is not YAML") from error
    entries = cast("Mapping[str, object]", found).get("entries") if isinstance(found, dict) else None
    if not isinstance(entries, dict):
        raise HttpError(f"{url} is no index of charts")
    return cast("Index", entries)


def chart_digest(index: Index, repository: str, chart: str, version: str, *, fetch: Fetch) -> str:
    """SHA-256 of a chart's archive, as the index says it, or as the archive has it where the index is silent.

    Raises:
        HttpError: the repository has no such version, or its archive cannot be read.
    """
    of = f"{repository}/{chart}:{version}"
    entry = next((each for each in index.get(chart, ()) if str(each.get("version")) == version), None)
    if entry is None:
        raise HttpError(f"{of}: the repository has no such version")
    said = f"sha256:{str(entry.get('digest') or '').removeprefix('sha256:')}"
    if DIGEST.fullmatch(said):
        return said
    urls = cast("list[object]", entry.get("urls") or [])
    if not urls:
        raise HttpError(f"{of}: the index has neither a digest nor an archive")
    try:
        archive = urljoin(f"{repository.rstrip('/')}/", str(urls[0]))
    except ValueError as error:
        raise HttpError(f"{of}: the index names an address that is none") from error
    answer = fetch(archive)
    if answer.status != HTTPStatus.OK:
        raise HttpError(f"{of}: the archive cannot be read, the answer is {answer.status}")
    return f"sha256:{sha256(answer.body).hexdigest()}"
