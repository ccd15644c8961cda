"""rclone as a mover of buckets that ask for it. What it copied is verified by us, as everything is.

Its ETag is no digest of its bytes, so that `rclone sync --checksum` holds only sizes against each other. Listings tell:
what is listed otherwise than when the last whole round began is deleted at the target, and the next sync copies it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from components.agents.mover.rounds import CopyOptions, RoundReport
from components.agents.mover.store import s3_client
from components.agents.mover.store.model import StoreError
from operations.project.child_process import with_parent_death_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from components.agents.mover.store.model import BucketEndpoint, Listed
    from components.agents.mover.store.s3_client import S3Store


LISTED: Final = "rclone.listed"  # in the bucket's folder: objects of several parts when the last whole round began
NOW: Final = "rclone.listed-now"  # and as they are in the round that runs
OF_PARTS: Final = "-"  # https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html (2026-11-22): ETag
Line = tuple[str, str, int, float]


def before_sync(source: BucketEndpoint, target: BucketEndpoint, *, folder: Path, reserved: str) -> int:
    """Delete copies whose original was written since; how many. Killed at any moment, it finds the same ones again.

    Raises:
        StoreError: a store refused.
    """
    known, now = folder / LISTED, folder / NOW
    with closing(s3_client.connect(source)) as here:
        _write(now, here, reserved)
    if not known.exists():  # whatever is written from here on differs from this, even if this round is killed
        now.replace(known)
        return 0
    with closing(s3_client.connect(target)) as there:
        return sum(_delete(there, key) for key in _find_changed_keys(known, now))


def after_sync(folder: Path) -> None:
    """From here on, what was listed before this round is what the target holds, or something older."""
    now = folder / NOW
    if now.exists():
        now.replace(folder / LISTED)


def _find_changed_keys(known: Path, now: Path) -> Iterator[str]:
    """Keys that only one of the two lists, or both otherwise; both are in the order of their bytes.

    One that only one lists was, or is now, an object of one part: a digest on one side only is held against nothing.
    """
    before, after = _read(known), _read(now)
    left, right = next(before, None), next(after, None)
    while left is not None or right is not None:
        key = min((each[0] for each in (left, right) if each is not None), key=_order)
        here = left if left is not None and left[0] == key else None
        there = right if right is not None and right[0] == key else None
        if here != there:
            yield key
        left = next(before, None) if here else left
        right = next(after, None) if there else right


def _delete(store: S3Store, key: str) -> bool:
    try:
        store.head(key)
    except StoreError as error:
        if error.code == "NoSuchKey":
            return False
        raise
    store.delete(key)
    return True


def _write(path: Path, store: S3Store, reserved: str) -> None:
    with path.open("w", encoding="ascii") as file:
        for each in store.listing():
            if OF_PARTS in each.etag and not (reserved and each.key.startswith(reserved)):
                file.write(json.dumps(_line(each)) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _line(each: Listed) -> Line:
    return each.key, each.etag, each.size, each.modified


def _read(path: Path) -> Iterator[Line]:
    with path.open(encoding="ascii") as file:
        for line in file:
            key, etag, size, modified = cast("tuple[str, str, int, float]", json.loads(line))
            yield key, etag, size, modified


def _order(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


BUILT: Final = Path(__file__).resolve().parents[3] / "tools" / "bin"
OURS: Final = "rclone.began"  # in the bucket's folder: the target was empty when rclone began
HOW: Final = "`tools/build rclone` builds it, https://rclone.org has it"
LONG: Final = "9999h"  # between two statistics, so that only the last ones come
# What it does not carry (https://rclone.org/s3/#metadata, 2026-11-22), and what it adds of its own.
DROPS: Final = frozenset({"tags"})
ADDS: Final = frozenset({"btime", "mtime"})
SAID_MOST: Final = 400  # characters of what it says when it fails


def copy_round(
    source: BucketEndpoint, target: BucketEndpoint, *, folder: Path, options: CopyOptions, say: Callable[[str], None]
) -> RoundReport:
    """Make the target's bucket equal to the source's. It deletes there, so the bucket must have been empty at first.

    Raises:
        StoreError: rclone is not here, fails, or the target holds what it did not copy.
    """
    if options.versions:
        raise StoreError("rclone copies no older versions: give this bucket the mover `atoll`", code="NoVersions")
    report = RoundReport()
    if not (folder / OURS).exists():
        with closing(s3_client.connect(target)) as store:
            keys = [each.key for each in store.listing() if not each.key.startswith(options.reserved or "\0")]
        if keys:
            report.foreigns, report.foreign = len(keys), [(key, "it was there before") for key in keys[:10]]
            return report
        (folder / OURS).touch()
    stale = before_sync(source, target, folder=folder, reserved=options.reserved)
    said = _run(source, target, options)
    after_sync(folder)
    if stale:
        say(f"{stale} copies were older than their originals, by the listing: copied anew")
    report.objects, report.size = _number(said, "transfers"), _number(said, "bytes")
    report.deleted, report.skipped = _number(said, "deletes"), _number(said, "checks")
    seconds = said.get("elapsedTime")
    report.seconds = float(seconds) if isinstance(seconds, int | float) else 0.0
    say(f"{report.objects} objects copied by rclone, {report.deleted} deleted")
    return report


def _run(source: BucketEndpoint, target: BucketEndpoint, options: CopyOptions) -> Mapping[str, object]:
    """What its last statistics say.

    Raises:
        StoreError: it is not here, or fails.
    """
    built = BUILT / "rclone"
    program = str(built) if built.is_file() else shutil.which("rclone")
    if program is None:
        raise StoreError(f"rclone is not on PATH; {HOW}", code="NoRclone")
    arguments = [program, "sync", f"source:{source.bucket}", f"target:{target.bucket}", "--checksum", "--metadata"]
    arguments += ["--transfers", str(options.transfers), "--use-json-log", "--stats", LONG, "--log-level", "INFO"]
    arguments += ["--exclude", f"/{options.reserved}**"] if options.reserved else []
    arguments += ["--bwlimit", f"{options.bandwidth_mib_per_s:g}M"] if options.bandwidth_mib_per_s else []
    environment = {"PATH": os.environ.get("PATH", ""), "RCLONE_CONFIG": os.devnull}
    environment |= {**_remote("SOURCE", source), **_remote("TARGET", target)}
    found = subprocess.run(  # noqa: S603 - our own arguments, without a shell
        with_parent_death_signal(arguments),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    lines = [cast("dict[str, object]", json.loads(each)) for each in found.stderr.splitlines() if each.startswith("{")]
    if found.returncode:
        errors = "; ".join(str(each.get("msg")) for each in lines if each.get("level") in {"error", "critical"})
        raise StoreError(f"rclone sync of {source.bucket} failed: {errors[:SAID_MOST]}", code="RcloneFailed")
    told = [each["stats"] for each in lines if isinstance(each.get("stats"), dict)]
    return cast("dict[str, object]", told[-1]) if told else {}


def _remote(name: str, place: BucketEndpoint) -> dict[str, str]:
    """A remote of rclone, by its environment: its keys are in no argument and no file."""
    prefix = f"RCLONE_CONFIG_{name}"
    authority = {"RCLONE_CA_CERT": place.authority} if place.authority else {}
    return authority | {
        f"{prefix}_TYPE": "s3",
        f"{prefix}_PROVIDER": "Other",
        f"{prefix}_ENDPOINT": place.endpoint,
        f"{prefix}_REGION": place.region,
        f"{prefix}_ACCESS_KEY_ID": place.access_key,
        f"{prefix}_SECRET_ACCESS_KEY": place.secret_key,
        f"{prefix}_SESSION_TOKEN": place.session_token,
        f"{prefix}_FORCE_PATH_STYLE": str(place.path_style).lower(),
        f"{prefix}_NO_CHECK_BUCKET": "true",
    }


def _number(said: Mapping[str, object], name: str) -> int:
    value = said.get(name)
    return value if isinstance(value, int) else 0
