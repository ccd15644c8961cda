"""A handbook's folder: written beside and then renamed, so that it is whole or as it was."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from operations.handbook.site import SITE, build, source
from operations.project.atomic_files import folder_beside
from planning.inputs.files import read_object
from planning.values.errors import InputError

if TYPE_CHECKING:
    from operations.handbook.facts import Facts

MARKER: Final = ".atoll-handbook.json"
MODE: Final = 0o755


def write(facts: Facts, folder: Path) -> Path:
    """Write source and site of a handbook; the page to open.

    Raises:
        InputError: the folder holds something else, or MkDocs is missing.
        AtollError: MkDocs finds fault with the source.
        OSError: the folder cannot be written.
    """
    whole = folder.resolve()
    refuse_foreign(whole, stack=facts.stack, shown=folder)
    whole.parent.mkdir(parents=True, exist_ok=True)
    with folder_beside(whole) as staged:
        marker = {"made_by": "atoll handbook", "stack": facts.stack, "option": facts.option}
        for name, text in {**source(facts), MARKER: json.dumps(marker) + "\n"}.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        build(staged)
        staged.chmod(MODE)
        _put_in_place(staged, whole)
    return folder / SITE / "index.html"


def refuse_foreign(folder: Path, *, stack: str, shown: Path) -> None:
    """Refuse a folder with anything in it that is not a handbook of this stack.

    Raises:
        InputError: it is.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError(f"{shown} is a file, not a folder", hint="name a folder that is empty, or not there yet")
    if not any(folder.iterdir()):
        return
    owner = _owner(folder / MARKER)
    if owner != stack:
        held = f"the handbook of {owner}" if owner else "something that is no handbook"
        raise InputError(f"{shown} holds {held}; nothing was written", hint="name another folder with --to")


def _owner(marker: Path) -> str:
    """Stack whose handbook lies beside the marker; "" for no handbook."""
    try:
        return str(read_object(marker).get("stack", ""))
    except InputError:
        return ""


def _put_in_place(staged: Path, whole: Path) -> None:
    """Rename; what was there before goes last, and comes back if the rename fails."""
    if not whole.exists():
        staged.rename(whole)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{whole.name}.", suffix=".old", dir=whole.parent))
    whole.rename(old)  # onto a folder that is empty, which a rename replaces
    try:
        staged.rename(whole)
    except BaseException:
        old.rename(whole)
        raise
    shutil.rmtree(old, ignore_errors=True)
