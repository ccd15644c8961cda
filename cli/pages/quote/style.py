"""How a quote looks beyond the style of every page: charts that grow their letters on a phone, signatures, paper."""

from __future__ import annotations

from typing import Final

# Okabe and Ito's colours, told apart by readers with any colour vision; lighter where the paper is dark.
QUOTE_STYLE: Final = """
:root { --compute: #0072b2; --plane: #56b4e9; --storage: #009e73; --network: #e69f00; --watching: #cc79a7;
  --security: #8f8600; --services: #d55e00; --band: #b9d6ea; --mark: #00507d; --disc: #00507d; --disc-ink: #ffffff;
  --dot: #5b6573; --owned: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --compute: #4ba3dc; --plane: #a8daf7; --storage: #2fbd93;
  --network: #f0b840; --watching: #e3a1c6; --security: #d6cb3c; --services: #f0803c; --band: #2c536d;
  --mark: #9fd4f5; --disc: #9fd4f5; --disc-ink: #10202b; --dot: #9aa4b2; --owned: #f0803c; } }
.chart { max-width: 52rem; margin: .8rem 0; overflow: visible; } svg.chart text { font-size: 13.5px; }
.chart .compute { fill: var(--compute); } .chart .control-plane { fill: var(--plane); }
.chart .storage { fill: var(--storage); } .chart .network { fill: var(--network); }
.chart .observability { fill: var(--watching); } .chart .security { fill: var(--security); }
.chart .services { fill: var(--services); } .chart rect.part { stroke: var(--paper); stroke-width: 1; }
.legend i.compute { background: var(--compute); } .legend i.control-plane { background: var(--plane); }
.legend i.storage { background: var(--storage); } .legend i.network { background: var(--network); }
.legend i.observability { background: var(--watching); } .legend i.security { background: var(--security); }
.legend i.services { background: var(--services); } .legend i.rented { background: var(--mark); }
.legend i.owned { background: var(--owned); }
.chart .band { fill: var(--band); } .chart .mark { fill: var(--mark); stroke: var(--paper); stroke-width: 1.5; }
.chart .disc { fill: var(--disc); stroke: var(--paper); stroke-width: 1.5; }
.chart .dot { fill: var(--dot); opacity: .55; }
svg.chart text.letter { fill: var(--disc-ink); text-anchor: middle; font-weight: 700; }
svg.chart .amount { dominant-baseline: auto; font-weight: 600; font-variant-numeric: tabular-nums; }
svg.chart .reach { fill: var(--faint); } svg.chart .end { text-anchor: end; }
svg.chart .beside { text-anchor: end; } svg.chart .head { text-anchor: start; }
svg.chart .name .where, svg.chart .amount .where { font-weight: 400; }
svg.chart .ceiling-name { text-anchor: start; font-weight: 600; }
svg.chart .even-name { text-anchor: middle; font-weight: 600; }
svg.chart .ceiling-name.left { text-anchor: end; }
.chart path { fill: none; stroke-width: 3; stroke-linejoin: round; } .chart .rented { stroke: var(--mark); }
.chart .owned { stroke: var(--owned); stroke-dasharray: 9 4; }
.chart .even { stroke: var(--ink); stroke-dasharray: 3 3; }
.chart .dot-even { fill: var(--paper); stroke: var(--ink); stroke-width: 2.5; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .86rem; margin: 1rem 0 0; }
a { color: var(--ink); text-underline-offset: .15em; }
.standing { border-left: 4px solid var(--compute); background: var(--tint);
  padding: .6rem .9rem; margin: 1rem 0; }
.wide:focus-visible { outline: 2px solid var(--compute); } .sheet caption { padding: .3rem 0; color: var(--faint); }
.sheet td { overflow-wrap: break-word; } .sheet.plain td { overflow-wrap: anywhere; }
.sheet.plain td:first-child { min-width: 6.5rem; width: 9rem; }
.sheet td.faint, .sheet th.faint { color: var(--faint); font-weight: 400; }
.options td:first-child { position: sticky; left: 0; background: var(--paper); min-width: 6.5rem; }
.options tr.sum td:first-child { background: var(--tint); } .options td { min-width: 9rem; }
sup { font-size: .72em; line-height: 1; color: var(--faint); }
sup a { color: var(--faint); text-decoration: none; padding: 0 .1em; }
.key { color: var(--faint); font-size: .82rem; overflow-wrap: anywhere; } .key b { color: var(--ink); }
.box::before { content: "\\2610"; margin-right: .6em; } .box { margin: .5rem 0; overflow-wrap: anywhere; }
.blank { display: flex; gap: .8rem; margin: 1.3rem 0; max-width: 40rem; }
.blank i { flex: 1; border-bottom: 1px solid var(--ink); }
details { margin: 1rem 0; } details summary { font-weight: 600; overflow-wrap: anywhere; }
ol.notes { font-size: .82rem; color: var(--faint); overflow-wrap: anywhere; padding-left: 2rem; }
ol.notes :target, ol.notes li:target { color: var(--ink); background: var(--tint); }
@media (max-width: 40rem) { body { margin: 1rem auto; padding: 0 1rem; } h1 { font-size: 1.35rem; }
  svg.chart text, svg.chart text.tick { font-size: 23px; } .chart .where, .chart .odd, .chart .long { display: none; }
  svg.chart text.letter { font-size: 17px; } svg.chart text.where { display: inline; }
  dl, .sheet { font-size: .84rem; } }
@media screen and (max-width: 40rem) { .stacked { min-width: 0 !important; } .stacked thead { display: none; }
  .stacked, .stacked tbody, .stacked tr, .stacked td { display: block; } .stacked td:empty { display: none; }
  .stacked caption { display: block; } .stacked tr { border-bottom: 1px solid var(--rule); padding: .4rem 0; }
  .stacked td { border: 0; padding: .05rem 0; min-width: 0 !important; text-align: left !important;
    white-space: normal !important; overflow-wrap: anywhere !important; }
  .stacked td:first-child { position: static; font-weight: 600; color: var(--ink); }
  .sheet.plain td:first-child { min-width: 6rem; width: 6.5rem; overflow-wrap: normal; }
  .stacked td[data-label]::before { content: attr(data-label) ": "; color: var(--faint); font-weight: 400; } }
@media print { @page { margin: 16mm 14mm; }
  :root { --ink: #000; --faint: #444; --rule: #bbb; --paper: #fff; --tint: #f2f2f2; --alert: #b3261e; --warn: #7a5000;
  --good: #14532d; --compute: #0072b2; --plane: #56b4e9; --storage: #009e73; --network: #e69f00; --watching: #cc79a7;
  --security: #8f8600; --services: #d55e00; --band: #b9d6ea; --mark: #00507d; --disc: #00507d; --disc-ink: #fff;
  --dot: #5b6573; --owned: #d55e00; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } body { font-size: 10pt; padding: 0; }
  nav { display: none; } .breaks { break-before: page; } h2, h3, caption, summary { break-after: avoid; }
  .chart, tr, p, .standing, .short { break-inside: avoid; } .chart { max-width: 38rem; }
  section > p { break-after: avoid; } thead { display: table-header-group; }
  .wide { overflow: visible; } .wide > table { min-width: 0 !important; } .sheet { font-size: 8.5pt; }
  .options td { min-width: 0; } .options td:first-child { position: static; }
  details::details-content { content-visibility: visible; block-size: auto; } summary { list-style: none; } }
"""
