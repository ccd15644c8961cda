from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from machine_stores import World

from components.agents.mover.compare import ComparisonTerms
from components.agents.mover.manifest import ManifestRow, ManifestWriter
from components.agents.mover.rounds import RoundReport
from operations.relocation.buckets.pairs import BucketPair, pair_buckets
from operations.relocation.copies import repair
from operations.relocation.runner.step import Evidence, StepError
from operations.relocation.steps import copy_rounds, verify
from planning.values.errors import in_one_line

SAID = "1 missing, 0 extra, 1 different"


@dataclass
class Mover:
    """Copies what the target has nothing of, and remembers it; what is there is believed, whatever it holds."""

    world: World
    copied: list[str] = field(default_factory=list)
    meddle: Any = None

    def __call__(self, source: Any, target: Any, **more: Any) -> RoundReport:
        if self.meddle is not None:
            self.meddle()
        here = self.world.stores.buckets[source.endpoint, source.bucket]
        there = self.world.stores.buckets[target.endpoint, target.bucket]
        new = [key for key in here if key not in there]
        self.copied += new
        believed = dict(there)
        for key in here:
            there[key] = here[key]
        self.world.copy(source, target, **more)  # writes the source's manifest
        there |= believed
        return RoundReport(objects=len(new))


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path / "relocations" / "old--new")
    found.folder.mkdir(parents=True)
    found.stores.source().update({"a": b"12", "b": b"345", "c": b"6"})
    found.stores.target()
    return found


@pytest.fixture
def mover(world: World) -> Mover:
    found = Mover(world)
    copy_rounds.seed(world.move, movers={"atoll": found})
    assert found.copied == ["a", "b", "c"]
    found.copied.clear()
    return found


def verified(world: World, mover: Mover) -> Evidence:
    return verify.do(world.move, connect=world.stores.connect, movers={"atoll": mover})


def refusal(world: World, mover: Mover) -> str:
    with pytest.raises(StepError) as failed:
        verified(world, mover)
    return in_one_line(failed.value)


def damaged(world: World) -> None:
    world.stores.target()["a"] = b"13"
    del world.stores.target()["c"]


def pair_of(world: World) -> BucketPair:
    (pair,) = pair_buckets(world.move)
    return pair


def test_what_a_proof_found_is_copied_anew_by_the_next_try(world: World, mover: Mover) -> None:
    damaged(world)
    said = refusal(world, mover)
    assert SAID in said
    assert 'different "a": bytes' in said
    assert "run again: what is missing or different is copied anew" in said
    assert world.stores.target() == {"a": b"13", "b": b"345"}
    found: Any = verified(world, mover)
    assert mover.copied == ["a", "c"]
    assert world.stores.target() == world.stores.source()
    assert found["mlflow"]["sentence"] == "3 objects, 6 bytes, 0 missing, 0 extra, 0 different"
    assert (found["mlflow"]["mended"], found["mlflow"]["mended_first"]) == (2, ["a", "c"])
    mover.copied.clear()
    assert verified(world, mover) == found
    assert mover.copied == []


def test_a_first_copy_after_a_roll_back_mends_too(world: World, mover: Mover) -> None:
    damaged(world)
    refusal(world, mover)
    from operations.relocation.copies import rounds

    rounds.run_copy_round(world.move, movers={"atoll": mover}, connect=world.stores.connect)
    assert mover.copied == ["a", "c"]
    assert not repair.read_note(pair_of(world)).open


def test_what_is_extra_is_named_and_never_touched(world: World, mover: Mover) -> None:
    damaged(world)
    world.stores.target()["theirs"] = b"x"
    for _ in range(2):
        said = refusal(world, mover)
        assert 'extra "theirs"' in said
        assert "is not touched: delete it, then run again" in said
    assert world.stores.target()["theirs"] == b"x"
    del world.stores.target()["theirs"]
    verified(world, mover)
    assert world.stores.target() == world.stores.source()


@pytest.mark.parametrize("killed", ["clear", "round", "close"])
def test_a_kill_while_it_is_mended_is_mended_by_the_next_try(
    world: World, mover: Mover, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged(world)
    refusal(world, mover)
    with monkeypatch.context() as patch:

        def die(*_more: Any, **_named: Any) -> None:
            raise KeyboardInterrupt

        if killed == "round":
            mover.meddle = die
        else:
            patch.setattr(repair, killed, die)
        with pytest.raises(KeyboardInterrupt):
            verified(world, mover)
    mover.meddle = None
    found: Any = verified(world, mover)
    assert world.stores.target() == world.stores.source()
    assert found["mlflow"]["mended_first"] == ["a", "c"]


@pytest.mark.parametrize("killed", [False, True])
def test_a_write_at_the_source_while_it_is_mended_is_named(
    world: World, mover: Mover, monkeypatch: pytest.MonkeyPatch, *, killed: bool
) -> None:
    damaged(world)
    refusal(world, mover)
    mover.meddle = lambda: world.stores.source().update({"b": b"999"})
    if killed:
        with monkeypatch.context() as patch:
            patch.setattr(verify, "_find_later_writes", lambda *_more: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                verified(world, mover)
    assert "written at the source during the freeze: 'b'" in refusal(world, mover)


def test_a_manifest_kept_by_an_earlier_attempt_accuses_nobody(world: World, mover: Mover) -> None:
    damaged(world)
    refusal(world, mover)
    (pair_of(world).folder / verify.BEFORE).write_bytes(b"of another attempt")
    verified(world, mover)
    assert world.stores.target() == world.stores.source()


def write(path: Path, *rows: ManifestRow) -> Path:
    with ManifestWriter(path) as file:
        for each in rows:
            file.add(each)
    return path


@pytest.mark.parametrize(
    ("there", "different"),
    [
        ({}, 0),
        ({"size": 2}, 1),
        ({"digest": "y"}, 1),
        ({"digest": ""}, 0),
        ({"deleted": True, "digest": ""}, 1),
        ({"headers": ()}, 1),
        ({"metadata": (("a", "b"),)}, 1),
        ({"tags": ()}, 1),
        ({"etag": "another", "version": "another"}, 0),
    ],
)
def test_what_is_different_is_what_a_proof_calls_so(tmp_path: Path, there: dict[str, Any], different: int) -> None:
    here = {
        "key": "k",
        "size": 1,
        "digest": "x",
        "headers": (("content-type", "a/b"),),
        "tags": (("t", "1"),),
        "etag": "e",
        "version": "v",
    }
    sides = write(tmp_path / "here", ManifestRow(**here)), write(tmp_path / "there", ManifestRow(**{**here, **there}))
    found = repair.damage(*sides, ComparisonTerms())
    assert len(found.different) == different == found.count
    from components.agents.mover.compare import compare

    assert bool(compare(*sides, ComparisonTerms()).different.count) == bool(different)


def test_versions_of_a_key_are_one_damage_and_our_own_are_none(tmp_path: Path) -> None:
    old, new = ManifestRow(key="k", size=1, order=1), ManifestRow(key="k", size=1)
    ours = ManifestRow(key=".atoll-canary/x", size=1)
    here = write(tmp_path / "here", old, new, ManifestRow(key="\udc80 odd", size=1), ManifestRow(key="z", size=1))
    there = write(tmp_path / "there", new, ours, ManifestRow(key="m", size=1))
    found = repair.damage(here, there, ComparisonTerms(reserved=".atoll-canary/"))
    assert (found.missing, found.different, found.extra) == (2, ["k"], 1)
    assert found.first == ["k", "z", "\udc80 odd"]
