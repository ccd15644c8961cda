"""What a plan leaves to people, as Markdown: commands and manifests to fill in, and what each way loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.relocation.form import ByHandForm, RelocationPlanForm

FENCE: Final = "```"


def by_hand_text(form: RelocationPlanForm) -> Iterator[str]:
    """A section with a part for each thing; nothing where nothing is left to people."""
    if not form["by_hand"]:
        return
    yield from ("", "## What Atoll does not move by itself", "")
    yield (
        "The run stops before its databases until by-hand.yaml says of each who checked it at the target, when and "
        "how; atoll relocate plan --draft writes it with empty marks. SOURCE and TARGET are contexts of kubectl."
    )
    for each in form["by_hand"]:
        yield from _thing(each)


def _thing(thing: ByHandForm) -> Iterator[str]:
    yield from ("", f"### {_plain(thing['key'])}", "", f"{_plain(thing['title'])}: {_plain(thing['why'])}.")
    for way in thing["ways"]:
        source = f" ({_plain(way['source'])})" if way["source"] else ""
        yield from ("", f"**{_plain(way['title'])}**{source}", "", FENCE)
        yield from way["text"].replace(FENCE, "'''").splitlines()
        yield FENCE
        if way["loses"]:
            yield from ("", "What that loses:", "")
            yield from (f"- {_plain(each)}" for each in way["loses"])


def _plain(words: str) -> str:
    """Words that Markdown and HTML leave alone, on one line."""
    flat = " ".join(words.split())
    for mark in "\\`*_[]|":
        flat = flat.replace(mark, f"\\{mark}")
    return flat.replace("<", "&lt;").replace(">", "&gt;")
