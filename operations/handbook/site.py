"""The handbook as a static site, built by MkDocs: it loads nothing from outside its folder."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import yaml

from operations.handbook.renderer import PACKAGE, pages, snippets
from operations.project.atomic_files import folder_beside
from planning.inputs.files import read_object
from planning.values.errors import AtollError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.handbook.facts import HandbookFacts
    from operations.handbook.renderer import Rendered


SETTINGS: Final = "mkdocs.yml"
DOCS: Final = "docs"
SITE: Final = "site"
EXAMPLES: Final = "examples"
# Material's search runs in a Worker, which browsers refuse to a page of a folder; its own remedy is loaded from a CDN,
# unless a file with "iframe-worker" in its name is there already (material/plugins/offline/plugin.py, 9.8.1).
SHIM: Final = "javascripts/iframe-worker.js"
STYLE: Final = "stylesheets/handbook.css"
# Of no use in a folder: both want the address that the site is served at.
LEFT_OVER: Final = ("404.html", "sitemap.xml", "sitemap.xml.gz")
SECONDS: Final = 300
LINES_SHOWN: Final = 12
INSTALL: Final = 'install it with: pip install "mkdocs-material>=9.6,<10"'
NEEDED: Final = ("mkdocs", "material")


def source(facts: HandbookFacts) -> Mapping[str, str]:
    """Files of the site's source, by their path in its folder."""
    rendered = pages(facts)
    found = {f"{DOCS}/{each.page.id}.md": each.text for each in rendered}
    found |= {f"{EXAMPLES}/{name}": text for name, text in snippets(facts).items()}
    themed = files(PACKAGE) / "theme"
    found |= {f"{DOCS}/{name}": (themed / Path(name).name).read_text(encoding="utf-8") for name in (SHIM, STYLE)}
    return {**found, SETTINGS: yaml.safe_dump(_settings(facts, rendered), sort_keys=False, allow_unicode=True)}


def build(folder: Path) -> None:
    """Build the site of the source in a folder into its folder `site`.

    Raises:
        InputError: MkDocs or its theme is not installed.
        AtollError: MkDocs finds fault with the source, or does not end.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"the handbook is built by MkDocs Material, which is not here: {missing[0]}", hint=INSTALL)
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "--quiet", "--config-file", SETTINGS]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own words
            command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise AtollError(f"MkDocs had not built the handbook after {SECONDS} seconds") from error
    if done.returncode:
        said = "\n".join([*done.stdout.splitlines(), *done.stderr.splitlines()][-LINES_SHOWN:])
        raise AtollError(f"MkDocs does not build the handbook:\n{said}")
    for name in LEFT_OVER:
        (folder / SITE / name).unlink(missing_ok=True)


def _settings(facts: HandbookFacts, rendered: Sequence[Rendered]) -> dict[str, object]:
    """MkDocs' configuration."""
    return {
        "site_name": f"{facts.spec.customer.name}: handbook",
        "docs_dir": DOCS,
        "site_dir": SITE,
        # Links must work from a folder, without a server; no font, script or picture comes from outside.
        "use_directory_urls": False,
        "strict": True,
        "nav": _nav(rendered),
        "theme": {
            "name": "material",
            "font": False,
            "palette": [_palette("light", "slate"), _palette("dark", "default")],
            "features": [
                "navigation.sections",
                "navigation.top",
                "navigation.footer",
                "content.code.copy",
                "toc.follow",
            ],
        },
        "plugins": ["search", "offline"],
        "extra": {"generator": False, "polyfills": [SHIM]},
        "extra_css": [STYLE],
        "markdown_extensions": [
            "admonition",
            "tables",
            {"toc": {"permalink": True}},
            {"pymdownx.highlight": {"auto_title": False}},
            "pymdownx.superfences",
        ],
        "validation": {
            "omitted_files": "warn",
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
    }


def _palette(scheme: str, other: str) -> dict[str, object]:
    """One of two, which follow the reader's system until they choose."""
    dark = scheme == "dark"
    return {
        "media": f"(prefers-color-scheme: {scheme})",
        "scheme": "slate" if other == "default" else "default",
        "primary": "blue grey",
        "accent": "teal",
        "toggle": {
            "icon": "material/weather-night" if dark else "material/weather-sunny",
            "name": "light colours" if dark else "dark colours",
        },
    }


def _nav(rendered: Sequence[Rendered]) -> list[dict[str, object]]:
    """Pages under their sections, in the order of the table."""
    nav: list[dict[str, object]] = []
    for section, group in groupby(rendered, key=lambda each: each.page.section):
        entries: list[dict[str, object]] = [{each.page.title: f"{each.page.id}.md"} for each in group]
        if section:
            nav.append({section: entries})
        else:
            nav.extend(entries)
    return nav


MARKER: Final = ".atoll-handbook.json"
MODE: Final = 0o755


def write(facts: HandbookFacts, folder: Path) -> Path:
    """Write source and site of a handbook; the page to open.

    Raises:
        InputError: the folder holds something else, or MkDocs is missing.
        AtollError: MkDocs finds fault with the source.
        OSError: the folder cannot be written.
    """
    whole = folder.resolve()
    refuse_foreign(whole, stack=facts.lock.stack, shown=folder)
    whole.parent.mkdir(parents=True, exist_ok=True)
    with folder_beside(whole) as staged:
        marker = {"made_by": "atoll handbook", "stack": facts.lock.stack, "option": facts.lock.option}
        for name, text in {**source(facts), MARKER: json.dumps(marker) + "\n"}.items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        # Built beside the place: a fault of MkDocs leaves the handbook that was there before.
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
