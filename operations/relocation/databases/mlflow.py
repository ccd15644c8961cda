"""Asks MLflow's server whether it is there, and opens what its addresses name; nothing is written.

Below each address all objects are counted by listings, and the first of each are opened.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from threading import local
from typing import TYPE_CHECKING, Final, NamedTuple, cast
from urllib.parse import quote

import requests
from urllib3.exceptions import LocationParseError

from components.agents.mover.store import s3_client
from components.agents.mover.store.model import Listed, StoreError
from operations.project.http import HttpError, HttpResponse, HttpSession
from operations.relocation.databases.uri_rules import within
from operations.relocation.runner.context import place_of
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from operations.relocation.config.endpoints import RelocationSide


STORES: Final = ("s3", "s3a", "gs", "minio")  # schemes of addresses that the mover's store opens
PROXIED: Final = "mlflow-artifacts"
OPENED_EACH: Final = 16  # objects that are opened below one address; all of them are counted
ADDRESS: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?/*([^?#]*)")


class ArtifactAddress(NamedTuple):
    """Bucket (or host of a proxy) and key of an address, the key without outer slashes."""

    scheme: str
    bucket: str
    key: str


@dataclass(slots=True)
class Below:
    """Objects below one address: count, size and the first keys."""

    count: int = 0
    size: int = 0
    keys: list[str] = field(default_factory=list[str])


def parse_address(address: str) -> ArtifactAddress | None:
    """Parse an address; None for another word."""
    match = ADDRESS.match(address)
    return ArtifactAddress(match[1].lower(), match[2] or "", match[3].strip("/")) if match else None


def by_bucket(addresses: Iterable[str]) -> dict[str, set[str]]:
    """Keys of addresses in a store, by bucket."""
    found: dict[str, set[str]] = {}
    for each in addresses:
        at = parse_address(each)
        if at and at.scheme in STORES:
            found.setdefault(at.bucket, set()).add(at.key)
    return found


def roots(keys: Collection[str]) -> list[str]:
    """Keys below no other key."""
    # One listing of each finds everything below it as well.
    return sorted(each for each in keys if not any(above in keys for above in _above(each)))


def scan_below(keys: Collection[str], listing: Callable[[str], Iterable[Listed]]) -> dict[str, Below]:
    """Objects below each key of a bucket.

    Args:
        listing: what the bucket has under a prefix, in order.
    """
    found = {each: Below() for each in keys}
    for root in roots(keys):
        for each in listing(f"{root}/" if root else ""):
            _note(found, each)
        if root and not found[root].count:  # an address may be that of one object, which comes before its neighbours
            first = next(iter(listing(root)), None)
            if first is not None and first.key == root:
                _note(found, first)
    return found


def different(source: Mapping[str, Below], target: Mapping[str, Below], moved: Callable[[str], str]) -> Iterator[str]:
    """Addresses whose objects differ between the sides."""
    for address, here in source.items():
        there = target.get(moved(address))
        if there is None:
            yield f"{address} became {moved(address)}, which the target's metadata does not have"
        elif (here.count, here.size) != (there.count, there.size):
            yield (
                f"{moved(address)} has {there.count} objects of {there.size} bytes, "
                f"{address} at the source {here.count} of {here.size}"
            )


def _note(found: Mapping[str, Below], listed: Listed) -> None:
    for each in (listed.key, *_above(listed.key)):
        below = found.get(each)
        if below is None:
            continue
        below.count += 1
        below.size += listed.size
        if len(below.keys) < OPENED_EACH:
            below.keys.append(listed.key)


def _above(key: str) -> Iterator[str]:
    """Parent folders of a key, the bucket last."""
    while key:
        key = key.rpartition("/")[0]
        yield key


def within_any(address: str, prefixes: Iterable[str]) -> bool:
    """Whether an address equals a prefix or lies below it."""
    return any(within(address, each) for each in prefixes)


SECONDS: Final = 60.0
SEARCHED: Final = 100  # experiments in which runs are looked for
REDIRECTS: Final = 3
REDIRECTED: Final = 300  # the first status that is no answer


def open_session() -> HttpSession:
    """A session for MLflow's server."""
    # Plain HTTP is allowed: the server is reached inside a private network.
    return HttpSession(netrc=True, seconds=SECONDS, plain=True)


def probe_server(url: str) -> dict[str, object]:
    """Health, and counts of experiments, runs and models.

    Raises:
        StepError: it does not answer as it should.
    """
    root = url.rstrip("/")
    api = f"{root}/api/2.0/mlflow"
    most: dict[str, str | int] = {"max_results": SEARCHED}
    runs: list[dict[str, object]] = []
    try:
        with open_session() as session:
            _request(session, "GET", f"{root}/health")
            found = _search(session, f"{api}/experiments/search", "experiments", {**most, "view_type": "ALL"})
            if found:
                ids = [str(each.get("experiment_id")) for each in found]
                runs = _search(session, f"{api}/runs/search", "runs", {**most, "experiment_ids": ids})
            answer = _request(session, "GET", f"{api}/registered-models/search", query=most)
            models = _rows(json.loads(answer.body), "registered_models")
    except (HttpError, ValueError, RecursionError) as error:
        code = (error.status if isinstance(error, HttpError) else 0) or error
        raise StepError(f"MLflow's server at {root} does not answer as it should: {code}") from error
    return {"experiments": len(found), "runs_seen": len(runs), "registered_models_seen": len(models)}


def _search(session: HttpSession, url: str, name: str, body: Mapping[str, object]) -> list[dict[str, object]]:
    return _rows(json.loads(_request(session, "POST", url, body=body).body), name)


def _request(
    session: HttpSession,
    method: str,
    url: str,
    *,
    query: Mapping[str, str | int] | None = None,
    body: Mapping[str, object] | None = None,
) -> HttpResponse:
    redirects = REDIRECTS if method == "GET" else 0
    answer = session.request(method, url, query=query, body=body, redirects=redirects)
    if answer.status >= REDIRECTED:
        raise HttpError(f"{url} answers {answer.status}", status=answer.status)
    return answer


def _rows(answer: Mapping[str, object], name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", answer.get(name) or [])


ARTIFACTS: Final = "/api/2.0/mlflow-artifacts/artifacts"  # of its proxy (mlflow 3.15, server/handlers.py)

LARGE: Final = 64 * 2**20  # bytes; the proxy fetches a file whole before it sends the first of them
FOLDERS: Final = 200  # most that are looked into below one address


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheck:
    """Results of opening artifacts.

    Args:
        below: by address of a store or a proxy, what lies there.
        broken: what did not open, in words.
        elsewhere: count of addresses that cannot be opened from here, by scheme.
    """

    below: Mapping[str, Below]
    objects: int
    broken: tuple[str, ...]
    elsewhere: Mapping[str, int]


def below(side: RelocationSide, secrets: Mapping[str, str], addresses: Iterable[str]) -> dict[str, Below]:
    """Objects below each address of a side, by listings only.

    Raises:
        StoreError: a store refuses a listing.
        StepError: MLflow's server refuses one.
    """
    every = sorted(addresses)
    found: dict[str, Below] = {}
    for bucket, keys in sorted(by_bucket(every).items()):
        with closing(s3_client.connect(place_of(side.store, side.store.mover, bucket, secrets))) as store:
            there = scan_below(keys, lambda prefix, store=store: store.list_objects(prefix=prefix))
        for each in every:
            at = parse_address(each)
            if at and at.scheme in STORES and at.bucket == bucket:
                found[each] = there[at.key]
    if side.mlflow_url:
        with open_session() as session:
            proxied = [each for each in every if _scheme(each) == PROXIED]
            found |= {each: _list_proxied_files(session, side.mlflow_url, each) for each in proxied}
    return found


def open_all(side: RelocationSide, secrets: Mapping[str, str], addresses: Iterable[str], *, threads: int) -> LinkCheck:
    """List every address and open its first objects."""
    every = sorted(addresses)
    elsewhere: dict[str, int] = {}
    for each in every:
        scheme = _scheme(each)
        if scheme not in STORES and not (scheme == PROXIED and side.mlflow_url):
            elsewhere[scheme] = elsewhere.get(scheme, 0) + 1
    try:
        found = below(side, secrets, every)
    except StoreError as error:
        return LinkCheck(below={}, objects=0, broken=(str(error),), elsewhere=elsewhere)
    targets = sorted({(_bucket(each), key) for each, there in found.items() for key in there.keys})
    broken = [said for said in _in_threads(side, secrets, targets, threads=threads) if said]
    return LinkCheck(below=found, objects=len(targets), broken=tuple(broken), elsewhere=elsewhere)


def _in_threads(
    side: RelocationSide, secrets: Mapping[str, str], targets: Sequence[tuple[str, str]], *, threads: int
) -> list[str]:
    own, every = local(), list[s3_client.S3Store]()

    def try_read(target: tuple[str, str]) -> str:
        bucket, key = target
        if not bucket:
            return _try_proxy_read(side.mlflow_url, key)
        stores = cast("dict[str, s3_client.S3Store]", own.__dict__.setdefault("stores", {}))
        if bucket not in stores:
            stores[bucket] = s3_client.connect(place_of(side.store, side.store.mover, bucket, secrets))
            every.append(stores[bucket])
        return _read(stores[bucket], key)

    try:
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(try_read, targets))
    finally:
        for each in every:
            each.close()


def _read(store: s3_client.S3Store, key: str) -> str:
    """Read the first byte of an object; the reason if that fails, else ""."""
    try:
        if store.head(key).size == 0:
            return ""
        with closing(store.open(key, first=0, last=0)) as body:
            return "" if body.read_into(memoryview(bytearray(1))) == 1 else f"{key}: no byte of it came"
    except StoreError as error:
        return str(error)


def _try_proxy_read(url: str, path: str) -> str:
    """Read the first byte of a file through the proxy; the reason if that fails, else ""."""
    address = f"{url.rstrip('/')}{ARTIFACTS}/{quote(path)}"
    try:
        with requests.get(address, timeout=SECONDS, stream=True) as answer:  # of a file of any size, one byte is read
            if not answer.ok:
                return f"{PROXIED}:/{path}: the server answers {answer.status_code}"
            next(answer.iter_content(1), b"")
    except (requests.RequestException, LocationParseError) as error:
        return f"{PROXIED}:/{path}: {type(error).__name__}"
    return ""


def _list_proxied_files(session: HttpSession, url: str, address: str) -> Below:
    """Files below an address, the smallest first."""
    at = parse_address(address)
    found, folders, files = Below(), [at.key if at else ""], list[tuple[int, str]]()
    seen = 0
    while folders and seen < FOLDERS:
        folder = folders.pop(0)
        seen += 1
        for each in _files(session, url, folder):
            path = "/".join(part for part in (folder, str(each["path"])) if part)
            if each.get("is_dir"):
                folders.append(path)
                continue
            size = int(cast("int", each.get("file_size") or 0))
            files.append((size, path))
            found.count += 1
            found.size += size
    files.sort()
    small = [path for size, path in files if size <= LARGE] or [path for _, path in files[:1]]
    found.keys = small[:OPENED_EACH]
    return found


def _files(session: HttpSession, url: str, folder: str) -> list[dict[str, object]]:
    """Raises: StepError: the server refuses, or does not answer."""
    try:
        answer = _request(session, "GET", f"{url.rstrip('/')}{ARTIFACTS}", query={"path": folder})
        return _rows(json.loads(answer.body), "files")
    except (HttpError, ValueError, RecursionError) as error:
        raise StepError(f"MLflow's server at {url} does not list {folder!r}: {error}") from error


def _scheme(address: str) -> str:
    at = parse_address(address)
    return at.scheme if at else ""


def _bucket(address: str) -> str:
    """Bucket of an address; "" for the proxy."""
    at = parse_address(address)
    return at.bucket if at and at.scheme in STORES else ""
