"""The files of a refreshed catalog: validated in a tree of their own, made to count by one rename, then put in place.

At any moment the catalog on disk is the old one or the new one, whole (`catalogs.refreshed.layers`): a crash before
the rename leaves files that nobody reads, a crash after it a folder that everybody reads first, and that the next run
puts away.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from catalogs import integrity
from catalogs.catalog import load
from catalogs.model import CatalogError
from catalogs.refreshed.layers import NEXT, CatalogLayers
from catalogs.validation import faults
from operations.price_refresh.model import PriceRefreshError
from operations.project.atomic_files import beside_of, folder_beside, write_all
from operations.project.journal import sync

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

WHERE: Final = "name a folder of your own in ATOLL_CATALOG"
SHOWN: Final = 5  # faults of a catalog that may not be written


@contextmanager
def hold_catalog(layers: CatalogLayers) -> Generator[None]:
    """Nobody else refreshes this catalog meanwhile; what a crash left is put away first.

    Raises:
        PriceRefreshError: somebody else does, or the folder cannot be written.
    """
    folder = layers.target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise PriceRefreshError(f"{folder}: {error.strerror}", hint=WHERE) from error
    try:
        _lock(handle, folder)
        put_in_place(folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise PriceRefreshError(f"{folder} is being refreshed by another run") from error


def write_catalog(layers: CatalogLayers, texts: Mapping[str, str]) -> None:
    """Write files by their path in the catalog, all or none, with the stamp of the whole.

    Raises:
        PriceRefreshError: the new catalog has faults, or it cannot be written; the old one stays.
    """
    folder = layers.target
    try:
        stamp = _validate(layers, texts)
        with folder_beside(folder / NEXT) as staged:
            for name, text in {**texts, integrity.NAME: stamp}.items():
                _write(staged / name, text)
            for each in (staged, *staged.glob("*/")):
                sync(each)
            staged.rename(folder / NEXT)  # from here on it counts
        sync(folder)
        put_in_place(folder)
    except OSError as error:
        raise PriceRefreshError(f"{error.filename or folder}: {error.strerror}", hint=WHERE) from error


def put_in_place(folder: Path) -> None:
    """Copy what counts already to where it belongs, the stamp last, and take its folder away."""
    counting = folder / NEXT
    if not counting.is_dir():
        return
    files = sorted(counting.rglob("*.*"), key=lambda each: (each.name == integrity.NAME, each))
    for each in (path for path in files if path.is_file()):
        write_all({folder / each.relative_to(counting): each.read_text(encoding="utf-8")})
    gone = beside_of(counting)
    counting.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _validate(layers: CatalogLayers, texts: Mapping[str, str]) -> str:
    """The stamp of the catalog as it would be.

    Raises:
        PriceRefreshError: it has faults.
    """
    with TemporaryDirectory() as folder:
        tree = Path(folder)
        for path in layers.root.rglob("*.csv"):
            if NEXT in path.parts:
                continue
            copy = tree / path.relative_to(layers.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(layers.resolve(path).absolute())
        for name, text in texts.items():
            with suppress(FileNotFoundError):
                (tree / name).unlink()
            _write(tree / name, text)
        found = faults(tree)
        if found:
            told = "; ".join(str(each).replace(f"{tree}/", "") for each in found[:SHOWN])
            raise PriceRefreshError(f"the new catalog would have {len(found)} faults: {told}")
        try:
            prices = load(root=tree, stamped=False).prices
        except CatalogError as error:
            raise PriceRefreshError(f"the new catalog cannot be read: {error}") from error
        return integrity.text(digest=prices.digest, words=prices.words)
