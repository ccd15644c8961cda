"""A clone as tables: what was decided, what was re-derived, what stayed; and what became of the configuration."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Final

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from planning.clone.field_policy import Care
from planning.clone.placement_table import MADE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from operations.clone.stack_config import Key
    from planning.clone.field_table import Row

WIDEST: Final = (30, 30)  # characters of a field's name and of what was before; longer ones fold
MADE_ANEW: Final = frozenset(name for name, _, _ in MADE)
IN: Final = (0, 0, 0, 2)
OWN_NAME: Final = 3  # steps of a path such as workloads.NAME.deadline, the first two of which are a heading


def field_parts(fields: Sequence[Row], placed: Sequence[Row]) -> Iterator[RenderableType]:
    """Every field of the checklist and of what was accepted, by what became of it."""
    for care, title in ((Care.DECISION, "Decided:"), (Care.DERIVED, "Re-derived:")):
        rows = [row for row in (*fields, *placed) if row.care is care]
        if rows:
            yield Text(title, style="bold")
            yield from _changes(rows)
    kept = [row for row in (*fields, *placed) if row.care is Care.KEPT]
    if said := [row for row in kept if row.is_said]:
        yield Text(f"Kept: {len(said)} fields", style="bold")
        yield _sections((row.field, f"{{}} {row.new}") for row in said)
    if silent := [row.field for row in kept if not row.is_said]:
        yield Text(f"Kept at its default or not asked for: {len(silent)} fields", style="bold")
        yield _sections((field, "{}") for field in silent)


def _changes(rows: Sequence[Row]) -> Iterator[RenderableType]:
    """Before and after, under the reason that they share."""
    after = [f"{row.new} ({row.answer})" if row.answer and row.answer != row.new else row.new for row in rows]
    names, before = (max(map(len, each)) for each in ([row.field for row in rows], [row.old for row in rows]))
    by_why: dict[str, list[tuple[str, str, str]]] = {}
    for row, new in zip(rows, after, strict=True):
        if row.field in MADE_ANEW:
            continue
        by_why.setdefault(row.why, []).append((row.field, row.old, new))
    for why, mine in by_why.items():
        yield Padding(Text(why, style="dim"), IN)
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(width=min(names, WIDEST[0]), overflow="fold")
        table.add_column(width=min(before, WIDEST[1]), overflow="fold")
        table.add_column()
        table.add_column(overflow="fold")
        for field, old, new in mine:
            table.add_row(Text(field), Text(old), Text("→"), Text(new))
        yield Padding(table, (0, 0, 0, 4))
    if made := [row for row in rows if row.field in MADE_ANEW]:
        yield Padding(Text("made for each stack, whatever its place", style="dim"), IN)
        table = Table.grid(padding=(0, 2, 0, 0))
        for row in made:
            table.add_row(Text(row.field), Text(f"{row.new}: {row.why}"))
        yield Padding(table, (0, 0, 0, 4))


def _sections(fields: Iterable[tuple[str, str]]) -> RenderableType:
    """Fields in one line for each section, each as its words say with its last name in them."""
    sections: dict[str, list[str]] = {}
    for path, words in fields:
        section, name = _split(path)
        sections.setdefault(section, []).append(words.replace("{}", name, 1))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=min(max(map(len, sections)), WIDEST[0]), overflow="fold")
    for section, said in sections.items():
        table.add_row(Text(section, style="bold"), Text("; ".join(said)))
    return Padding(table, IN)


def _split(path: str) -> tuple[str, str]:
    """The section of a field and its name in it: "workloads.train" and "model.parameters"."""
    placement, colon, fact = path.partition(": ")
    if colon:
        return placement, fact
    steps = path.split(".")
    at = 2 if steps[0] in ("workloads", "teams") and len(steps) >= OWN_NAME else 1
    return (".".join(steps[:at]), ".".join(steps[at:])) if len(steps) > 1 else ("checklist", path)


def config_parts(keys: Sequence[Key], *, stack: str, provider: str = "") -> Iterator[RenderableType]:
    """The source's configuration, key by key, and what must be set again.

    Args:
        provider: what was decided to encrypt the clone's secrets; "" where the source had no key of its own.
    """
    if keys:
        yield Text("Configuration of the stack:", style="bold")
        table = Table.grid(padding=(0, 2, 0, 0))
        for key in keys:
            table.add_row(Text(key.name), Text("carried" if key.carried else "not carried"), Text(key.why))
        yield Padding(table, IN)
    secrets = [key.name for key in keys if key.secret]
    if secrets:
        yield Text("Secrets are never copied; set them again before `atoll up`:", style="bold")
        yield Padding(Text("\n".join(_commands(secrets, stack=stack, provider=provider))), IN)
    if "://" in provider:
        # Seen with Pulumi 3.260: `stack init` without the flag takes a passphrase and strikes the line out of the file.
        words = (
            "`atoll up` makes the stack with that key; a `pulumi stack init` of your own needs --secrets-provider, "
            f"else Pulumi takes a passphrase and strikes the key out of Pulumi.{stack}.yaml"
        )
        yield Padding(Text(words), IN)


def _commands(secrets: Sequence[str], *, stack: str, provider: str) -> Iterator[str]:
    flag = f" --secrets-provider {quote(provider)}" if provider and provider != "default" else ""
    yield f"pulumi stack init {stack}{flag}"
    yield from (f"pulumi config set --secret --stack {stack} {name}" for name in secrets)
