"""A comment as a page that looks about as it does on GitHub, to be photographed."""  # noqa: INP001

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

STYLE: Final = """
body { font: 14px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; color: #1f2328; }
main { max-width: 880px; margin: 16px auto; border: 1px solid #d1d9e0; border-radius: 6px; padding: 16px; }
h2 { font-size: 1.4em; border-bottom: 1px solid #d1d9e0b3; padding-bottom: .3em; margin: 0 0 16px; }
table { border-collapse: collapse; display: block; width: max-content; max-width: 100%; margin: 0 0 16px; }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px; } tr:nth-child(2n) { background: #f6f8fa; }
code { font: 85% ui-monospace, "DejaVu Sans Mono", monospace; background: #818b981f; }
code { padding: .2em .4em; border-radius: 6px; }
.box { border-left: .25em solid; padding: 4px 16px; margin: 0 0 16px; } .box b { display: block; }
.caution { border-color: #cf222e; } .caution b { color: #d1242f; } .box p { margin: 0 0 4px; }
.warning { border-color: #9a6700; } .warning b { color: #9a6700; } ul { margin: 0 0 16px; padding-left: 2em; }
details { margin-bottom: 12px; } summary { margin-bottom: 8px; } p { margin: 0 0 16px; }
"""
ALERT: Final = re.compile(r"<blockquote>\s*<p>\[!(CAUTION|WARNING)\]\s*(.*?)</blockquote>", re.DOTALL)


def page(comment: str) -> str:
    """HTML of a comment, what is folded opened."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(comment)
    body = ALERT.sub(_alert, body).replace("<details>", "<details open>")
    return f"<!doctype html><meta charset='utf-8'><title>Comment</title><style>{STYLE}</style><main>{body}</main>\n"


def _alert(found: re.Match[str]) -> str:
    kind = found[1].lower()
    return f"<div class='box {kind}'><b>{kind.title()}</b><p>{found[2]}</div>"


if __name__ == "__main__":
    sys.stdout.write(page(Path(sys.argv[1]).read_text(encoding="utf-8")))
