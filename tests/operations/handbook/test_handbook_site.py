"""The built site opens from its folder: every link leads somewhere, and nothing is asked of anybody outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from handbook_kit import facts, scene

from operations.handbook.site import INSTALL, build, source, write
from operations.handbook.stack_outputs import ClusterOutputs
from planning.values.errors import AtollError, InputError

# Element to the attribute by which it asks for something at once; a link waits until somebody follows it.
ASKS: Final = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}
OUTSIDE: Final[dict[str, str]] = {}  # addresses that a page may lead to, with the reason; none does


@dataclass
class Read(HTMLParser):
    """What a page asks for, leads to, and can be led to."""

    asked: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in ASKS and ASKS[tag] in given:
            self.asked.append(given[ASKS[tag]])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.anchors |= {given[each] for each in ("id", "name") if each in given}


def read(path: Path) -> Read:
    found = Read()
    found.feed(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one site that is built: the demo's, with the outputs of a cluster that is up."""
    demo = scene("demo")
    outputs = ClusterOutputs(
        is_known=True,
        vpn_address="192.0.2.7",
        cluster_name="demo-cluster",
        entrance="internal-1.elb.example",
        buckets={"checkpoints": "demo-checkpoints"},
        roles={"engineer/notebooks": "arn:aws:iam::111122223333:role/engineer"},
    )
    made = tmp_path_factory.mktemp("handbook") / "demo"
    index = write(facts(demo.lock, demo.checklist, outputs), made)
    assert index == made / "site/index.html"
    return made


def site_pages(folder: Path) -> Iterator[Path]:
    yield from sorted((folder / "site").rglob("*.html"))


def test_the_site_is_whole(folder: Path) -> None:
    names = {path.name for path in site_pages(folder)}
    assert {"index.html", "first-job.html", "trouble.html"} <= names
    assert {path.stem for path in (folder / "docs").glob("*.md")} == {Path(name).stem for name in names}
    assert (folder / "site/search/search_index.js").is_file()
    assert not list(folder.parent.glob(".*.new")) + list(folder.parent.glob(".*.old"))

    # every link and anchor leads somewhere
    pages = {path: read(path) for path in site_pages(folder)}
    dead: list[tuple[str, str]] = []
    for path, found in pages.items():
        for link in (*found.links, *found.asked):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if (
                not target.is_file()
                or not target.is_relative_to(folder)
                or (parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors)
            ):
                dead.append((path.name, link))
    assert dead == []

    # nothing is asked of anybody outside, and nothing leads there
    for path, found in pages.items():
        assert [each for each in found.asked if urlsplit(each).scheme or urlsplit(each).netloc] == [], path.name
        outside = [each for each in found.links if urlsplit(each).netloc and each not in OUTSIDE]
        assert outside == [], path.name
    for path in (folder / "site").rglob("*.css"):
        assert re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//", path.read_text(encoding="utf-8")) == []
    for path in site_pages(folder):
        text = path.read_text(encoding="utf-8")
        assert "fonts.googleapis" not in text
        assert "unpkg.com" not in text

    # what the outputs know is said
    shown = (folder / "site/get-in.html").read_text(encoding="utf-8")
    assert "192.0.2.7" in shown
    assert "internal-1.elb.example" in shown
    assert "known once the cluster is up" not in shown
    assert "demo-checkpoints" in (folder / "site/storage.html").read_text(encoding="utf-8")


def test_the_settings_ask_for_no_font_and_fail_at_a_warning() -> None:
    settings = yaml.safe_load(source(scene("demo").facts)["mkdocs.yml"])
    assert settings["theme"]["font"] is False
    assert settings["strict"] is True
    assert settings["use_directory_urls"] is False
    assert settings["plugins"] == ["search", "offline"]
    assert {each["scheme"] for each in settings["theme"]["palette"]} == {"default", "slate"}
    assert {"navigation.sections", "content.code.copy", "toc.follow"} <= set(settings["theme"]["features"])
    assert all("//" not in each for each in settings["extra"]["polyfills"])


def test_every_snippet_is_a_file_beside_the_pages() -> None:
    found = source(scene("demo").facts)
    assert "examples/training/one-job.yaml" in found
    assert {path.split("/")[0] for path in found} == {"docs", "examples", "mkdocs.yml"}


def test_a_missing_mkdocs_is_said_with_what_brings_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operations.handbook.site.find_spec", lambda _: None)
    with pytest.raises(InputError) as caught:
        build(tmp_path)
    assert caught.value.hint == INSTALL


def test_what_mkdocs_complains_of_is_told(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nno_such_setting: 1\n", encoding="utf-8")
    with pytest.raises(AtollError, match="MkDocs does not build"):
        build(tmp_path)
