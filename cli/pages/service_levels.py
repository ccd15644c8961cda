"""A month's report on one page, with its charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.pages.charts.service_levels import availability_chart, strips
from cli.pages.documents.html import document_page
from planning.service_levels.document import AGAINST, STRIPS

if TYPE_CHECKING:
    from planning.documents.blocks import Document
    from planning.service_levels.form import SlaForm

STYLE: Final = """
:root { --up: #2e8b57; --short: #d55e00; --excluded: #56b4e9; --unknown: #b9c0ca; --before: #eceff3; }
@media (prefers-color-scheme: dark) { :root { --up: #3fa56d; --unknown: #596273; --before: #232932; } }
.fill-up { fill: var(--up); } .fill-short { fill: var(--short); } .fill-excluded { fill: var(--excluded); }
.fill-not-known { fill: var(--unknown); } .fill-before { fill: var(--before); }
svg .level { stroke: var(--alert); stroke-width: 1.5; stroke-dasharray: 5 4; } svg .level-name { fill: var(--alert);
  font-size: 12px; text-anchor: middle; } svg .part { font-weight: 600; paint-order: stroke; stroke: var(--paper);
  stroke-width: 4px; } svg .said { fill: var(--faint);
  font-size: 12px; } svg .at-end { text-anchor: end; } svg .span-line { stroke: var(--ink); stroke-width: 2; }
svg .dot { fill: var(--ink); stroke: var(--paper); stroke-width: 1.5; }
"""


def page(form: SlaForm, document: Document) -> str:
    pictures = {STRIPS: strips(form), AGAINST: availability_chart(form)}
    return document_page(document, pictures=pictures, style=STYLE)
