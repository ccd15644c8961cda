"""Files that `atoll relocate plan` reads beside the locks, and drafts of those that people write."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from cli.terminal.console import note
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path
from planning.inputs.files import read_content
from planning.values.errors import Fault, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from operations.relocation.config.endpoints import Places
    from operations.relocation.config.plan_inputs import PlacesSummary
    from planning.relocation.form import RelocationPlanForm
    from planning.relocation.inventory.assets import StatefulAsset
    from planning.relocation.inventory.stack_inventory import Inventory
    from planning.spec.lock import Lock

BY_HAND = "by hand"


def places_of(file: str, old: "Lock", new: "Lock") -> "Places | None":
    """relocation.yaml, once it is about these two stacks.

    Raises:
        InputError: it is about others.
    """
    if not file:
        return None
    from operations.relocation.config.bucket_locations import ALL_SET  # noqa: PLC0415 - where it is named
    from operations.relocation.config.reader import read_file  # noqa: PLC0415 - as above

    places = read_file(Path(file), environment=ALL_SET).places
    named = (places.source.stack, places.target.stack)
    if named != (old.stack, new.stack):
        raise InputError(f"{file}: is about {named[0]} and {named[1]}, not {old.stack} and {new.stack}")
    return places


def digest_of(file: str) -> str | None:
    """Of relocation.yaml; None where none was named."""
    return "sha256:" + sha256(read_content(Path(file))).hexdigest() if file else None


def relocations(old: "Lock", new: "Lock", *, places: "Places | None", file: str) -> "Sequence[tuple[Places, Path]]":
    """Places of each relocation between the two, with its folder; those that were named are of theirs, or of the first.

    Raises:
        InputError: a journal is broken.
    """
    from operations.relocation.config.bucket_locations import places_in  # noqa: PLC0415 - once locks are there
    from operations.relocation.workspace import folders_of  # noqa: PLC0415 - as above

    folders = folders_of(old.stack, new.stack)
    own = next((each for each in folders if file and each.resolve() == Path(file).resolve().parent), folders[0])
    found = [(folder, places if places and folder == own else places_in(folder)) for folder in folders]
    return [(each, folder) for folder, each in found if each is not None]


def scan_stores(known: "Sequence[tuple[Places, Path]]") -> None:
    """Ask the stores of every relocation what they hold.

    Raises:
        InputError: no store is known, or one refused.
    """
    import os  # noqa: PLC0415 - where stores are asked

    from operations.relocation.copies.bucket_usage import look_now  # noqa: PLC0415 - as above
    from operations.relocation.workspace import make  # noqa: PLC0415 - as above

    if not known:
        hint = "give --places FILE, and export the keys that it names"
        raise InputError("--look asks the source's store, and nothing names it", hint=hint)
    for places, folder in known:
        make(folder)
        look_now(places, folder, environment=os.environ, say=note)


def summarize_places(
    inventory: "Inventory", known: "Sequence[tuple[Places, Path]]"
) -> "tuple[PlacesSummary, Iterable[tuple[str, str]]]":
    """What every relocation names and what was counted for it; and what cannot be believed, with the reason."""
    from operations.relocation.config.bucket_locations import bucket_of, find_covered_keys  # noqa: PLC0415 - once there is an inventory
    from operations.relocation.config.plan_inputs import PlacesSummary  # noqa: PLC0415 - as above
    from operations.relocation.copies.bucket_usage import read_usage  # noqa: PLC0415 - as above

    if not known:
        return PlacesSummary(), ()
    buckets = [bucket for places, _ in known for bucket in places.buckets]

    def mover(thing: "StatefulAsset") -> str:
        found = bucket_of(thing.key, thing.locator, buckets) if thing.key.startswith(("bucket/", "store/")) else None
        return found.mover if found else ""

    used = read_usage(inventory.things, known)
    said = PlacesSummary(
        counted=used.things,
        movers={thing.key: word for thing in inventory.moved if (word := mover(thing))},
        covered=find_covered_keys(
            [(each.key, each.locator) for each in inventory.things], [places for places, _ in known]
        ),
    )
    return said, used.doubts


def draft_paths(old: "Lock", new: "Lock", path: Path) -> "dict[str, Path]":
    """Where drafts go, by the name of their relocation; "by hand" for the marks of people, beside the first.

    Raises:
        InputError: one is there: drafts are never written over anything.
    """
    from operations.relocation.config.draft import drafts  # noqa: PLC0415 - as above
    from operations.relocation.config.manual_confirmations import BY_HAND_NAME  # noqa: PLC0415 - where a draft is asked for
    from operations.relocation.workspace import folder_of  # noqa: PLC0415 - as above

    def place(name: str) -> Path:
        if not name:
            return path
        if path.resolve().parent == folder_of(old.stack, new.stack).resolve():
            return Path(display_path(folder_of(old.stack, new.stack, name=name) / path.name))
        return path.with_name(f"{path.stem}-{name}{path.suffix}")

    found = {name: place(name) for name in drafts(old, new)} | {BY_HAND: path.with_name(BY_HAND_NAME)}
    there = [each for each in found.values() if each.exists()]
    if there:
        faults = [Fault(message=f"{each} is already there", file=str(each)) for each in there]
        raise InputError(
            f"{', '.join(map(str, there))} already there", faults=faults, hint="edit it, or name another file"
        )
    return found


def write_drafts(old: "Lock", new: "Lock", paths: "dict[str, Path]", form: "RelocationPlanForm") -> None:
    """Every draft, or none."""
    from operations.relocation.config import manual_confirmations  # noqa: PLC0415 - where a draft is asked for
    from operations.relocation.config.draft import drafts  # noqa: PLC0415 - as above

    texts = {paths[name]: text for name, text in drafts(old, new).items()}
    marks = [(each["key"], each["title"], each["why"]) for each in form["by_hand"]]
    write_all(texts | {paths[BY_HAND]: manual_confirmations.draft(marks)})
    for path in texts:
        note(f"written: {path}: fill in what it marks, and export the variables that it names")
    note(f"written: {paths[BY_HAND]}: what people move and confirm, for Atoll does not")
