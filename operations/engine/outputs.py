"""The outputs of a stack, handed over: which of them are secret, and the files that people need of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from operations.project.atomic_files import write_all
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from operations.engine.session import StackSession

FILES: Final[Mapping[str, str]] = {
    "kubeconfig": "{}.kubeconfig",
    "kubeconfigs": "{}.kubeconfig",
    "vpnProfiles": "{}.conf",
}
PLACEMENTS: Final = "placements"  # outputs of every placement beside home, by its name
ADMIN: Final = "admin"  # whose the one kubeconfig without a role is
FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,100}")


@dataclass(frozen=True, slots=True)
class StackOutputs:
    """Outputs by name.

    Args:
        masked: every secret, however deep, replaced by "[secret]".
        plain: the same with secrets; empty until somebody asks to see them.
    """

    masked: Mapping[str, object]
    plain: Mapping[str, object]

    def shown(self, *, secrets: bool) -> Mapping[str, object]:
        return self.plain if secrets else self.masked


def read_outputs(opened: StackSession, *, secrets: bool) -> StackOutputs:
    """The outputs of the last update; secrets are decrypted only when they are wanted.

    Raises:
        AtollError: the engine cannot read them.
    """
    masked = opened.ask_json("stack", "output", "--json")
    return StackOutputs(masked, opened.ask_json("stack", "output", "--json", "--show-secrets") if secrets else {})


def rows(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Outputs by dotted name, mappings taken apart: "kubeconfigs.engineer"."""
    for name, value in values.items():
        if isinstance(value, dict) and value:
            inner = cast("dict[str, object]", value)
            yield from ((f"{name}.{below}", leaf) for below, leaf in rows(inner))
        else:
            yield name, value


def files(plain: Mapping[str, object]) -> dict[str, str]:
    """Paths and texts of every kubeconfig and VPN profile; those of a placement beside home in a folder of its name.

    Raises:
        InputError: a name that cannot be a file's.
    """
    found = _files_of(plain)
    for placement, outputs in _entries(plain.get(PLACEMENTS)).items():
        below = _files_of(_entries(outputs))
        found |= {f"{_file_name(placement, of=PLACEMENTS)}/{name}": text for name, text in below.items()}
    return found


def write_private(folder: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write files that only their owner may read, all of them or none.

    Raises:
        OSError: the folder or a file cannot be written.
    """
    for place in sorted({folder, *((folder / name).parent for name in texts)}):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = {folder / name: text if text.endswith("\n") else text + "\n" for name, text in sorted(texts.items())}
    write_all(whole, private=True)
    return tuple(whole)


def _files_of(outputs: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for output, pattern in FILES.items():
        for owner, text in _texts(outputs.get(output)):
            found.setdefault(pattern.format(_file_name(owner, of=output)), text)
    return found


def _file_name(text: str, *, of: str) -> str:
    if not FILE_NAME.fullmatch(text):
        raise InputError(f"output {of} has an entry {text!r}, which cannot name a file")
    return text


def _texts(value: object) -> Iterator[tuple[str, str]]:
    """Owners and texts of one output; a kubeconfig may be an object, and JSON is YAML."""
    if isinstance(value, str):
        yield ADMIN, value
        return
    entries = _entries(value)
    if "apiVersion" in entries:
        yield ADMIN, json.dumps(entries, indent=2)
        return
    for owner, text in entries.items():
        yield owner, text if isinstance(text, str) else json.dumps(text, indent=2)


def _entries(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
