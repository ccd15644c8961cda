"""Asks MLflow's server whether it is there and finds what its database holds; nothing is written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import quote

import requests
from urllib3.exceptions import LocationParseError

from components.agents.mover.store import s3_client
from components.agents.mover.store.model import BucketEndpoint, StoreError
from operations.relocation.databases.artifact_links import (
    OPENED_EACH,
    PROXIED,
    STORES,
    Below,
    by_bucket,
    parse_address,
    scan_below,
)
from operations.relocation.runner.step import StepError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from operations.relocation.config.endpoints import RelocationSide, StorePlace


SECONDS: Final = (5, 60)
SEARCHED: Final = 100  # experiments in which runs are looked for


def probe_server(url: str) -> dict[str, object]:
    """What it answers to its health, to a search for experiments and to one for runs, in figures.

    Raises:
        StepError: it does not answer as it should.
    """
    root = url.rstrip("/")
    try:
        health = requests.get(f"{root}/health", timeout=SECONDS)
        health.raise_for_status()
        found = _rows(_post(root, "experiments/search", {"max_results": SEARCHED, "view_type": "ALL"}), "experiments")
        ids = [str(each.get("experiment_id")) for each in found]
        runs = (
            _rows(_post(root, "runs/search", {"experiment_ids": ids, "max_results": SEARCHED}), "runs") if ids else []
        )
        models = _rows(_get(root, "registered-models/search"), "registered_models")
    except (requests.RequestException, LocationParseError) as error:
        answer = error.response if isinstance(error, requests.RequestException) else None
        code = type(error).__name__ if answer is None else answer.status_code
        raise StepError(f"MLflow's server at {root} does not answer as it should: {code}") from error
    return {"experiments": len(found), "runs_seen": len(runs), "registered_models_seen": len(models)}


def _post(root: str, what: str, body: Mapping[str, str | int | list[str]]) -> dict[str, object]:
    answer = requests.post(f"{root}/api/2.0/mlflow/{what}", json=body, timeout=SECONDS)
    answer.raise_for_status()
    return cast("dict[str, object]", answer.json())


def _get(root: str, what: str) -> dict[str, object]:
    answer = requests.get(f"{root}/api/2.0/mlflow/{what}", params={"max_results": SEARCHED}, timeout=SECONDS)
    answer.raise_for_status()
    return cast("dict[str, object]", answer.json())


def _rows(answer: Mapping[str, object], name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", answer.get(name) or [])


ARTIFACTS: Final = "/api/2.0/mlflow-artifacts/artifacts"  # of its proxy (mlflow 3.15, server/handlers.py)

LARGE: Final = 64 * 2**20  # bytes; the proxy fetches a file whole before it sends the first of them
FOLDERS: Final = 200  # most that are looked into below one address


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCheck:
    """What opening found.

    Args:
        below: by address of a store or a proxy, what lies there.
        broken: what did not open, in words.
        elsewhere: addresses that nobody's store here can open, by scheme.
    """

    below: Mapping[str, Below]
    objects: int
    broken: tuple[str, ...]
    elsewhere: Mapping[str, int]


def place_of(store: StorePlace, secrets: Mapping[str, str], bucket: str, *, canary: bool = False) -> BucketEndpoint:
    """A bucket as the mover reaches it, or as a writer like any other does."""
    keys = store.canary if canary and store.canary else store.mover
    return BucketEndpoint(
        endpoint=store.endpoint,
        region=store.region,
        bucket=bucket,
        access_key=secrets.get(keys.access_key_env, ""),
        secret_key=secrets.get(keys.secret_key_env, ""),
        session_token=secrets.get(keys.session_token_env, "") if keys.session_token_env else "",
        authority=store.authority,
        path_style=store.path_style,
    )


def below(side: RelocationSide, secrets: Mapping[str, str], addresses: Iterable[str]) -> dict[str, Below]:
    """What lies below each address of a side, by its listings alone.

    Raises:
        StoreError: a store refuses a listing.
        StepError: MLflow's server refuses one.
    """
    every = sorted(addresses)
    found: dict[str, Below] = {}
    for bucket, keys in sorted(by_bucket(every).items()):
        with closing(s3_client.connect(place_of(side.store, secrets, bucket))) as store:
            there = scan_below(keys, lambda prefix, store=store: store.listing(prefix=prefix))
        for each in every:
            at = parse_address(each)
            if at and at.scheme in STORES and at.bucket == bucket:
                found[each] = there[at.key]
    if side.mlflow_url:
        with requests.Session() as session:
            proxied = [each for each in every if _scheme(each) == PROXIED]
            found |= {each: _list_proxied_files(session, side.mlflow_url, each) for each in proxied}
    return found


def open_all(side: RelocationSide, secrets: Mapping[str, str], addresses: Iterable[str], *, threads: int) -> LinkCheck:
    """Look below every address and open what lies there, the first objects of each."""
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
            stores[bucket] = s3_client.connect(place_of(side.store, secrets, bucket))
            every.append(stores[bucket])
        return _read(stores[bucket], key)

    try:
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(try_read, targets))
    finally:
        for each in every:
            each.close()


def _read(store: s3_client.S3Store, key: str) -> str:
    """Read the first byte of an object; why it did not open, or ""."""
    try:
        if store.head(key).size == 0:
            return ""
        with closing(store.open(key, first=0, last=0)) as body:
            return "" if body.read_into(memoryview(bytearray(1))) == 1 else f"{key}: no byte of it came"
    except StoreError as error:
        return str(error)


def _try_proxy_read(url: str, path: str) -> str:
    """Read the first byte of a file through the proxy; why it did not open, or ""."""
    address = f"{url.rstrip('/')}{ARTIFACTS}/{quote(path)}"
    try:
        with requests.get(address, timeout=SECONDS, stream=True) as answer:
            if not answer.ok:
                return f"{PROXIED}:/{path}: the server answers {answer.status_code}"
            next(answer.iter_content(1), b"")
    except (requests.RequestException, LocationParseError) as error:
        return f"{PROXIED}:/{path}: {type(error).__name__}"
    return ""


def _list_proxied_files(session: requests.Session, url: str, address: str) -> Below:
    """Files below an address, the small ones first, folder by folder."""
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


def _files(session: requests.Session, url: str, folder: str) -> list[dict[str, object]]:
    """Raises: StepError: the server refuses, or does not answer."""
    try:
        answer = session.get(f"{url.rstrip('/')}{ARTIFACTS}", params={"path": folder}, timeout=SECONDS)
        answer.raise_for_status()
        said = cast("dict[str, object]", answer.json())
    except (requests.RequestException, ValueError) as error:
        raise StepError(f"MLflow's server at {url} does not list {folder!r}: {type(error).__name__}") from error
    return cast("list[dict[str, object]]", said.get("files") or [])


def _scheme(address: str) -> str:
    at = parse_address(address)
    return at.scheme if at else ""


def _bucket(address: str) -> str:
    """The bucket that it lies in; "" for what a proxy serves."""
    at = parse_address(address)
    return at.bucket if at and at.scheme in STORES else ""
