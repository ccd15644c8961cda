"""The first lines of a clone: where to, for how much, what has no price there, and what a person must look at."""

from __future__ import annotations

from decimal import Decimal
from shlex import quote
from typing import TYPE_CHECKING, Final

from rich.text import Text

from cli.terminal.amounts import ABOUT
from cli.terminal.tables import indent, make_grid
from cli.views.diff import amounts
from operations.clone.report import PLAIN, list_assumed
from planning.clone.field_table import MADE, FieldHandling
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from operations.clone.assembly import Clone
    from operations.clone.source import SourceStack
    from operations.clone.stack_config import ConfigKey
    from planning.clone.comparison.price_lines import PriceLines
    from planning.clone.comparison.stack_comparison import CloneComparison
    from planning.clone.field_table import FieldRow
    from planning.diff.form import AmountForm
    from planning.spec.lock import Lock


SIDES: Final = ("old", "new")  # `planning.clone.comparison.price_lines.OneSided.priced_on`
LOST: Final = ("none", "weaker")
VERDICTS: Final = {
    Verdict.WITHIN: "kept",
    Verdict.OVER: "broken",
    Verdict.UNDETERMINED: "undetermined",
}


def summary(source: SourceStack, clone: Clone, c: CloneComparison) -> Iterator[RenderableType]:
    here, there = (_place(each.lock) for each in (source, clone))
    yield Text(f"{clone.stack}, a clone of {source.stack}: {here} → {there}", style="bold")
    yield make_grid(_lines(clone, c, here=here, there=there))
    if first := list(_look_at(clone, c)):
        yield Text("Look at these first:", style="bold")
        yield make_grid((("-", Text(words, style=style)) for words, style in first), gap=1)


def _place(lock: Lock) -> str:
    return f"{lock.spec.placement.provider} {lock.spec.placement.region}"


def _lines(clone: Clone, c: CloneComparison, *, here: str, there: str) -> Iterator[tuple[str, str]]:
    money = c.money
    yield "option", f"{clone.lock.option} ({clone.option_why})"
    yield "USD a month", f"{amount(money.old)} at {c.old}, {amount(money.new)} at {c.new}"
    partly = " of what both sides can price" if money.one_sided else ""
    yield "change", amounts.headline(money.comparable, None).removesuffix(" as far as priced") + partly
    yield from (("no price", words) for words in describe_one_sided(money, names=(c.old, c.new), places=(here, there)))
    yield "ceiling", _ceiling(clone)


def _ceiling(clone: Clone) -> str:
    judgement, limit = clone.option.judgement, clone.lock.ceiling.usd_per_month
    count = sum(line.usd_per_month is None for line in clone.lock.bill)
    if judgement.verdict is not Verdict.UNDETERMINED or limit is None or not count:
        return f"{VERDICTS[judgement.verdict]}: {judgement.reason}"
    has = "has" if count == 1 else "have"
    return f"{amounts.money(str(limit))} USD a month: undetermined while {_count(count)} of the bill {has} no price"


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def amount(form: AmountForm) -> str:
    about = ABOUT if form["estimated"] else ""
    expected = f"{about}{amounts.money(form['usd_per_month']['expected'])}"
    return f"at least {expected}" if form["unpriced"] else expected


def describe_one_sided(money: PriceLines, *, names: tuple[str, str], places: tuple[str, str]) -> Iterator[str]:
    for at, side in enumerate(SIDES):
        mine = {each.key for each in money.one_sided if each.priced_on == side}
        if not mine:
            continue
        sums = amounts.money(str(_cost(money, mine, side=side)))
        it, it_is = ("it", "It is") if len(mine) == 1 else ("them", "They are")
        yield (
            f"{_count(len(mine))} of the bill, {sums} USD a month at {names[at]}: the price book has no price for {it} "
            f"at {places[1 - at]}. {it_is} neither saving nor cost here; --price-book can name what you pay"
        )


def _cost(money: PriceLines, keys: set[str], *, side: str) -> Decimal:
    lines = (line for each in money.components for line in each["lines"] if line["key"].partition("#")[0] in keys)
    forms = (line["old"] if side == "old" else line["new"] for line in lines)
    return sum((Decimal(each["usd_per_month"]["expected"]) for each in forms if each), start=Decimal(0))


def _look_at(clone: Clone, c: CloneComparison) -> Iterator[tuple[str, str]]:
    assumed = list_assumed(clone.decisions, clone.answers)
    for each in clone.decisions:
        if each.path in assumed:
            yield f"assumed, as it was not decided: {each.path}: {assumed[each.path]} ({each.why})", "yellow"
    if moved := [each for each in c.capabilities if each.what == "accelerator"]:
        said = ", ".join(f"{each.topic} {each.old} → {each.new}" for each in moved)
        yield f"other accelerators: {said}; --option names another choice", "yellow"
    if lost := [each.title for each in c.security if each.standing in LOST]:
        yield f"security is lost or weaker in {len(lost)} of {len(c.security)} controls: {_some(lost)}", "bold red"
    for each in c.residency:
        if each.verdict != "kept":
            yield f"residency, {each.placement}: {each.words}", "bold red" if each.verdict == "refused" else "yellow"
    if secrets := [key.name for key in clone.keys if key.secret]:
        yield f"secrets are never copied, set them again: {', '.join(secrets)}", "yellow"
    if not clone.layout_kept:
        yield PLAIN, "yellow"
    yield from ((each, "yellow") for each in c.notes)


def _some(words: Sequence[str], most: int = 4) -> str:
    return "; ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


WIDEST: Final = (30, 30)  # characters of a field's name and of what was before; longer ones fold
MADE_ANEW: Final = frozenset(each.name for each in MADE)
OWN_NAME: Final = 3  # steps of a path such as workloads.NAME.deadline, the first two of which are a heading


def field_parts(fields: Sequence[FieldRow], placed: Sequence[FieldRow]) -> Iterator[RenderableType]:
    for care, title in ((FieldHandling.DECISION, "Decided:"), (FieldHandling.DERIVED, "Re-derived:")):
        rows = [row for row in (*fields, *placed) if row.care is care]
        if rows:
            yield Text(title, style="bold")
            yield from _changes(rows)
    kept = [row for row in (*fields, *placed) if row.care is FieldHandling.KEPT]
    if said := [row for row in kept if row.is_said]:
        yield Text(f"Kept: {len(said)} fields", style="bold")
        yield _sections((row.field, f"{{}} {row.new}") for row in said)
    if silent := [row.field for row in kept if not row.is_said]:
        yield Text(f"Kept at its default or not asked for: {len(silent)} fields", style="bold")
        yield _sections((field, "{}") for field in silent)


def _changes(rows: Sequence[FieldRow]) -> Iterator[RenderableType]:
    after = [f"{row.new} ({row.answer})" if row.answer and row.answer != row.new else row.new for row in rows]
    names, before = (max(map(len, each)) for each in ([row.field for row in rows], [row.old for row in rows]))
    by_why: dict[str, list[tuple[str, str, str]]] = {}
    for row, new in zip(rows, after, strict=True):
        if row.field in MADE_ANEW:
            continue
        by_why.setdefault(row.why, []).append((row.field, row.old, new))
    for why, mine in by_why.items():
        yield indent(Text(why, style="dim"))
        widths = (min(names, WIDEST[0]), min(before, WIDEST[1]))
        yield make_grid(((field, old, "→", new) for field, old, new in mine), widths=widths, left=4)
    if made := [row for row in rows if row.field in MADE_ANEW]:
        yield indent(Text("made for each stack, whatever its place", style="dim"))
        yield make_grid(((row.field, f"{row.new}: {row.why}") for row in made), left=4)


def _sections(fields: Iterable[tuple[str, str]]) -> RenderableType:
    sections: dict[str, list[str]] = {}
    for path, words in fields:
        section, name = _split(path)
        sections.setdefault(section, []).append(words.replace("{}", name, 1))
    rows = ((Text(section, style="bold"), "; ".join(said)) for section, said in sections.items())
    return make_grid(rows, widths=(min(max(map(len, sections)), WIDEST[0]),))


def _split(path: str) -> tuple[str, str]:
    placement, colon, fact = path.partition(": ")
    if colon:
        return placement, fact
    steps = path.split(".")
    at = 2 if steps[0] in ("workloads", "teams") and len(steps) >= OWN_NAME else 1
    return (".".join(steps[:at]), ".".join(steps[at:])) if len(steps) > 1 else ("checklist", path)


def config_parts(keys: Sequence[ConfigKey], *, stack: str, provider: str = "") -> Iterator[RenderableType]:
    """The source's configuration, key by key, and what must be set again.

    Args:
        provider: what was decided to encrypt the clone's secrets; "" where the source had no key of its own.
    """
    if keys:
        yield Text("Configuration of the stack:", style="bold")
        yield make_grid((key.name, "carried" if key.carried else "not carried", key.why) for key in keys)
    secrets = [key.name for key in keys if key.secret]
    if secrets:
        yield Text("Secrets are never copied; set them again before `atoll up`:", style="bold")
        yield indent(Text("\n".join(_commands(secrets, stack=stack, provider=provider))))
    if "://" in provider:
        # Seen with Pulumi 3.260: `stack init` without the flag takes a passphrase and strikes the line out of the file.
        words = (
            "`atoll up` makes the stack with that key; a `pulumi stack init` of your own needs --secrets-provider, "
            f"else Pulumi takes a passphrase and strikes the key out of Pulumi.{stack}.yaml"
        )
        yield indent(Text(words))


def _commands(secrets: Sequence[str], *, stack: str, provider: str) -> Iterator[str]:
    flag = f" --secrets-provider {quote(provider)}" if provider and provider != "default" else ""
    yield f"pulumi stack init {stack}{flag}"
    yield from (f"pulumi config set --secret --stack {stack} {name}" for name in secrets)
