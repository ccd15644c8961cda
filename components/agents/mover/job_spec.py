"""What a mover is told: one JSON file, and keys in files of a mounted Secret; every fault of them at once."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast

from components.agents.mover.manifests.sampling import Sample, Shard
from components.agents.mover.store.model import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

SIDES: Final = ("source", "target")
DOES: Final = ("copy", "look")
_MISSING: Final = object()
T = TypeVar("T")


class SpecError(Exception):
    """A spec or keys that cannot be used; the message has every fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """What one mover does.

    Args:
        name: of this run; results bear it.
        looks_at: the side that is looked at.
        reserved: prefix of our own objects in both buckets.
        deposits: prefix below it, where results lie at the target.
        folder: for the ledger and manifests.
        port: of the progress page; 0 for any that is free.
    """

    do: Literal["copy", "look"]
    name: str
    source: Place
    target: Place
    folder: Path
    shard: Shard
    reserved: str
    deposits: str
    looks_at: Literal["source", "target"] = "source"
    versions: bool = False
    counts_tags: bool = False
    tags_again: bool = False
    transfers: int = 8
    mib_per_s: float | None = None
    expected_bytes: int | None = None
    sample: Sample = field(default_factory=Sample)
    listen: str = "127.0.0.1"
    port: int = 0


def read_spec(path: Path, *, index: str) -> JobSpec:
    """The spec of one shard.

    Args:
        index: of the shard, as Kubernetes says it in JOB_COMPLETION_INDEX; "" for the first.

    Raises:
        SpecError: it cannot be used.
    """
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{path}: {error}") from error
    found = _Fields(read)
    spec = _spec(found, index)
    if found.faults:
        raise SpecError(f"{path}: {'; '.join(found.faults)}")
    return spec


def _spec(found: _Fields, index: str) -> JobSpec:
    keys = Path(found.text("keys"))
    shards = found.number("shards", default=1)
    if not (index or "0").isdecimal() or not 0 <= int(index or 0) < shards:
        found.faults.append(f"there is no shard {index!r} of {shards}")
    rate = found.rate("mib_per_s")
    reserved = found.text("reserved")
    deposits = found.text("deposits", default=reserved)
    if not deposits.startswith(reserved):
        found.faults.append("deposits is not below reserved: movers would copy it")
    return JobSpec(
        do=cast("Literal['copy', 'look']", found.word("do", DOES)),
        name=found.text("name"),
        source=_place(found.below("source"), keys / "source"),
        target=_place(found.below("target"), keys / "target"),
        folder=Path(found.text("folder")),
        shard=Shard(index=int(index or 0) if (index or "0").isdecimal() else 0, of=shards),
        reserved=reserved,
        deposits=deposits,
        looks_at=cast("Literal['source', 'target']", found.word("looks_at", SIDES, default="source")),
        versions=found.flag("versions"),
        counts_tags=found.flag("counts_tags"),
        tags_again=found.flag("tags_again"),
        transfers=found.number("transfers", default=8),
        mib_per_s=rate,
        expected_bytes=found.number("expected_bytes", default=0, least=0) or None,
        sample=Sample(percent=found.number("sample_percent", default=100), seed=found.text("sample_seed", default="")),
        listen=found.text("listen", default="127.0.0.1"),
        port=found.number("port", default=0, least=0),
    )


def _place(found: _Fields, keys: Path) -> Place:
    return Place(
        endpoint=found.text("endpoint"),
        region=found.text("region"),
        bucket=found.text("bucket"),
        access_key=found.key(keys / "access_key"),
        secret_key=found.key(keys / "secret_key"),
        session_token=found.key(keys / "session_token", needed=False),
        authority=found.text("authority", default=""),
        path_style=found.flag("path_style", default=True),
    )


class _Fields:
    """Fields of a JSON object, each of the kind that is asked for; what is wrong is written down."""

    def __init__(self, read: object, *, at: str = "", faults: list[str] | None = None) -> None:
        self.faults: list[str] = [] if faults is None else faults
        self._at = at
        self._found: Mapping[str, object] = cast("dict[str, object]", read) if isinstance(read, dict) else {}
        if not isinstance(read, dict):
            self.faults.append(f"{at or 'the whole'} is no object")

    def below(self, name: str) -> _Fields:
        return _Fields(self._found.get(name), at=f"{self._at}{name}.", faults=self.faults)

    def text(self, name: str, *, default: object = _MISSING) -> str:
        value = self._found.get(name, default)
        return value if isinstance(value, str) and (value or default == "") else self._fault(name, "a text", "")

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self._found.get(name, default)
        return value if isinstance(value, bool) else self._fault(name, "true or false", default)

    def number(self, name: str, *, default: int, least: int = 1) -> int:
        value = self._found.get(name, default)
        right = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return cast("int", value) if right else self._fault(name, f"a whole number of at least {least}", default)

    def rate(self, name: str) -> float | None:
        value = self._found.get(name)
        right = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value > 0)
        return cast("float | None", value) if right else self._fault(name, "a number over 0 or null", None)

    def word(self, name: str, words: tuple[str, ...], *, default: str = "") -> str:
        value = self._found.get(name, default)
        return str(value) if value in words else self._fault(name, f"one of {', '.join(words)}", words[0])

    def key(self, path: Path, *, needed: bool = True) -> str:
        try:
            value = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            value = ""
        except (OSError, ValueError) as error:
            self.faults.append(f"{path} cannot be read: {type(error).__name__}")
            return ""
        if needed and not value:
            self.faults.append(f"{path}: no key is there")
        return value

    def _fault(self, name: str, wanted: str, instead: T) -> T:
        self.faults.append(f"{self._at}{name} is not {wanted}")
        return instead
