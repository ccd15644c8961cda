"""The catalog on disk is the old one or the new one, whole, whatever stops the writing and whoever reads meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from refresh_kit import OLD, make_catalog

from catalogs import integrity, validation
from catalogs.catalog import load
from catalogs.refreshed.layers import NEXT, CatalogLayers
from operations.price_refresh.catalog_files import hold_catalog, put_in_place, write_catalog
from operations.price_refresh.model import PriceRefreshError

KILLED = 9
HEADER = integrity.HEADER
NEW = "\n".join((HEADER, *sorted(row.replace("0.214", "0.23") for row in OLD))) + "\n"
CALLS = ("open", "write", "rename", "replace", "unlink", "mkdir", "rmdir", "fsync", "close")


def digest(layers: CatalogLayers) -> str:
    return load(root=layers.root, layers=layers).prices.digest


def new_texts(layers: CatalogLayers) -> dict[str, str]:
    sources = (layers.root / "sources.csv").read_text()
    return {"aws/prices.csv": NEW, "sources.csv": sources.replace("early 2026", "spring 2026")}


def write(layers: CatalogLayers) -> None:
    with hold_catalog(layers):
        write_catalog(layers, new_texts(layers))


def die_at(number: int) -> Callable[[], None]:
    """End this process as a kill would, at the given call that changes a folder or a file."""
    count = 0

    def wrap(name: str) -> None:
        real = getattr(os, name)

        def call(*args: object, **words: object) -> object:
            nonlocal count
            count += 1
            if count == number:
                os._exit(KILLED)
            return real(*args, **words)

        setattr(os, name, call)

    return lambda: [wrap(name) for name in CALLS] and None


def run_killed(number: int, work: Callable[[], None]) -> int:
    """Exit code of a child that does the work and is killed at a call of the system; 0 where there are fewer."""
    child = os.fork()
    if not child:
        code = 1
        try:
            die_at(number)()
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def stamped(layers: CatalogLayers) -> bool:
    found = load(root=layers.root, layers=layers)
    stamp = layers.resolve(layers.root / integrity.NAME)
    return integrity.words_found(stamp, digest=found.prices.digest) is not None


@pytest.fixture
def fast_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is validated by one test of its own; here it is written hundreds of times."""
    monkeypatch.setattr("operations.price_refresh.catalog_files.faults", lambda _root: [])


def test_a_new_catalog_takes_the_place_of_the_old_one_with_its_stamp(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    before = digest(layers)
    write(layers)
    assert digest(layers) != before
    assert stamped(layers)
    assert (layers.root / "aws/prices.csv").read_text() == NEW
    assert not (layers.root / NEXT).exists()
    assert validation.faults(layers.root) == []
    assert list(layers.root.glob(".*")) == []


@pytest.mark.usefixtures("fast_validation")
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call that touches a file is the last one once; whoever reads finds one catalog, and the next run mends."""
    start = make_catalog(tmp_path / "start")
    old = digest(start)
    done = make_catalog(tmp_path / "done")
    write(done)
    new = digest(done)
    stamp = (done.root / integrity.NAME).read_text()
    monkeypatch.setattr("operations.price_refresh.catalog_files._validate", lambda *_: stamp)
    seen: list[str] = []
    for number in range(1, 500):
        folder = tmp_path / "killed"
        shutil.copytree(start.root, folder, symlinks=True)
        layers = CatalogLayers(folder)
        code = run_killed(number, lambda layers=layers: write(layers))
        found = digest(layers)
        seen.append("old" if found == old else "new" if found == new else "mixed")
        if code == 0:
            break
        assert code == KILLED
        with hold_catalog(layers):
            assert not (folder / NEXT).exists()
        assert digest(layers) == found
        assert stamped(layers)
        shutil.rmtree(folder)
    assert seen[-1] == "new"
    assert "mixed" not in seen
    assert seen.index("new") > 10
    assert len(seen) - seen.index("new") > 10
    assert seen == sorted(seen, reverse=True)  # old until it counts, new from then on


@pytest.mark.usefixtures("fast_validation")
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_stops_the_writing_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException | type[BaseException]
) -> None:
    layers = make_catalog(tmp_path)
    before = digest(layers)

    def stop(_handle: int) -> None:
        raise error

    monkeypatch.setattr("os.fsync", stop)
    with pytest.raises((KeyboardInterrupt, PriceRefreshError)) as raised:
        write(layers)
    assert "No space left" in str(raised.value) or raised.type is KeyboardInterrupt
    assert digest(layers) == before
    assert list(layers.root.glob(".*")) == []


@pytest.mark.usefixtures("fast_validation")
def test_a_stop_that_was_asked_for_waits_until_all_is_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layers = make_catalog(tmp_path)
    before = digest(layers)
    real = Path.rename

    def stop(path: Path, target: Path) -> Path:
        os.kill(os.getpid(), signal.SIGTERM)
        return real(path, target)

    class Stopped(BaseException):
        pass

    def hear(_number: int, _frame: object) -> None:
        raise Stopped

    monkeypatch.setattr(Path, "rename", stop)
    held = signal.signal(signal.SIGTERM, hear)
    try:
        with pytest.raises(Stopped):
            write(layers)
    finally:
        signal.signal(signal.SIGTERM, held)
        monkeypatch.undo()
    assert digest(layers) != before  # the rename was done
    put_in_place(layers.root)
    assert digest(layers) != before


def test_a_catalog_with_faults_is_not_written(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    before = digest(layers)
    texts = {"aws/prices.csv": NEW.replace("aws,disk,", "aws,disc,")}
    with pytest.raises(PriceRefreshError, match=r"1 faults: aws/prices.csv:\d: unknown item 'disc' of aws"):
        write_catalog(layers, texts)
    with pytest.raises(PriceRefreshError, match="would have"):
        write_catalog(layers, {"aws/prices.csv": NEW.replace("aws-karpenter", "nobody")})
    assert digest(layers) == before


@pytest.mark.usefixtures("fast_validation")
def test_renewed_prices_lie_in_a_folder_of_their_own(tmp_path: Path) -> None:
    root = make_catalog(tmp_path).root
    layers = CatalogLayers(root, tmp_path / "renewed")
    before = digest(CatalogLayers(root))
    write(layers)
    assert digest(CatalogLayers(root)) == before
    assert digest(layers) != before
    assert stamped(layers)
    assert sorted(path.name for path in (tmp_path / "renewed").rglob("*.*")) == [
        "checked.json",
        "prices.csv",
        "sources.csv",
    ]


def test_two_runs_do_not_write_at_once(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    with hold_catalog(layers), pytest.raises(PriceRefreshError, match="is being refreshed by another run"):
        write(layers)


def test_a_folder_that_cannot_be_written_is_named_with_what_to_do(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(PriceRefreshError, match="file") as raised:
        write(CatalogLayers(layers.root, blocked))
    assert raised.value.hint == "name a folder of your own in ATOLL_CATALOG"


def test_a_reader_meets_a_refresh_and_reads_one_catalog(tmp_path: Path) -> None:
    layers = make_catalog(tmp_path)
    paths = [layers.root / "aws/prices.csv", layers.root / "sources.csv"]
    texts = new_texts(layers)
    turns: list[int] = []

    class Meeting(CatalogLayers):
        def resolve(self, path: Path) -> Path:
            turns.append(1)
            if len(turns) == 2:
                write_catalog(layers, texts)
            return super().resolve(path)

        @property
        def layered(self) -> bool:
            return True

    found = Meeting(layers.root).read(paths)
    assert {path.name: content.decode() for path, content in found.items()} == {
        "prices.csv": NEW,
        "sources.csv": texts["sources.csv"],
    }
