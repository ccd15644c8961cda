"""Prefixes of addresses and what they become: matched at an exact boundary, the longest first, never twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.relocation.databases.sql import MetadataError, join_sql, quote_identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from operations.relocation.databases.schema import Column


SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# In a longer text an address ends at one of these, or where the text does; a backslash is a quote of JSON in JSON.
AFTER: Final = r"""(?=$|[]/"'\s,;)}>?#\\|&<])"""
BEFORE: Final = r"(?<![A-Za-z0-9+.-])"


@dataclass(frozen=True, slots=True, kw_only=True)
class UriRule:
    """One prefix, without a final slash.

    Args:
        target: the same as `source` where addresses below it stay as they are.
    """

    source: str
    target: str

    @property
    def stays(self) -> bool:
        """Whether it only marks addresses as correct."""
        return self.source == self.target

    def covers(self, address: str) -> bool:
        return within(address, self.source)

    @property
    def pattern(self) -> str:
        """Pattern of the prefix in a longer text, for PostgreSQL and Python."""
        return f"{BEFORE}{re.escape(self.source)}{AFTER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UriRules:
    """Rules of one relocation, the longest prefix first."""

    rules: tuple[UriRule, ...]

    @property
    def moving(self) -> tuple[UriRule, ...]:
        return tuple(each for each in self.rules if not each.stays)

    @property
    def settled(self) -> tuple[str, ...]:
        """Prefixes of correct addresses after the rewrite."""
        return tuple(dict.fromkeys(each.target for each in self.rules))

    def apply(self, address: str) -> str:
        for each in self.rules:
            if each.covers(address):
                return each.target + address[len(each.source) :]
        return address

    def apply_within(self, text: str) -> str:
        """Rewrite every address in a text."""
        for number, each in enumerate(self.rules):
            text = re.sub(each.pattern, token(number), text)
        for number, each in enumerate(self.rules):
            text = text.replace(token(number), each.target)
        return text


def rules_of(pairs: Iterable[tuple[str, str]]) -> UriRules:
    """Rules from prefixes as written in relocation.yaml.

    Raises:
        MetadataError: a prefix without a scheme, one twice, or rules of which one would rewrite what another wrote.
    """
    found = sorted(
        {UriRule(source=source.rstrip("/"), target=target.rstrip("/")) for source, target in pairs},
        key=lambda each: (-len(each.source), each.source, each.target),
    )
    faults = list(_faults(found))
    if faults:
        raise MetadataError("; ".join(faults))
    return UriRules(rules=tuple(found))


def within(address: str, prefix: str) -> bool:
    """Whether an address equals a prefix or lies below it."""
    # With the slash: s3://a/xy is not below s3://a/x.
    return address == prefix or address.startswith(f"{prefix}/")


def token(number: int) -> str:
    """Placeholder of a rule's target until all rules are tried."""
    # Control characters, which no address holds; without the placeholder a rule could match what another one wrote.
    return f"\x02{number}\x03"


def _faults(found: Sequence[UriRule]) -> Iterator[str]:
    for each in found:
        for prefix in (each.source, each.target):
            if not SCHEME.match(prefix):
                yield f"{prefix!r} has no scheme, as s3://bucket/path has one"
    sources = [each.source for each in found]
    yield from (f"{each} is said twice" for each in sorted({each for each in sources if sources.count(each) > 1}))
    moving = [each for each in found if not each.stays]
    for one in moving:
        for other in moving:
            if within(one.target, other.source) or within(other.source, one.target):
                yield f"{one.source} becomes {one.target}, which the rule for {other.source} would rewrite again"


# Addresses that no bucket's name is in: served by MLflow itself, names of its own, and what lies with somebody else.
NOT_OURS: Final = (
    "mlflow-artifacts:", "models:", "runs:", "dbfs:", "http:", "https:", "hf:", "huggingface:", "mlflow-attachment:",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlFragment:
    sql: str
    values: tuple[object, ...] = ()


def source_of(column: Column) -> str:
    return join_sql("FROM", quote_identifier(column.table))


def rows_of(column: Column) -> SqlFragment:
    keys = column.keys or column.other_keys
    if not keys:
        return SqlFragment(sql="1 = 1")
    marks = ", ".join("%s" for _ in keys)
    return SqlFragment(sql=f'"key" {"IN" if column.keys else "NOT IN"} ({marks})', values=keys)


def _value(column: Column) -> str:
    """The value as text; a column of JSON is only counted."""
    return (
        quote_identifier(column.name) if column.holds != "record" else f"CAST({quote_identifier(column.name)} AS text)"
    )


def names_source(column: Column, rules: UriRules) -> SqlFragment:
    if not rules.moving:
        return SqlFragment(sql="1 = 0")
    if column.holds == "address":
        name = quote_identifier(column.name)
        return _first(rules, lambda each: SqlFragment(sql="1 = 0" if each.stays else "1 = 1"), name, otherwise="1 = 0")
    value, new = _value(column), build_new_value(column, rules)
    return both(_contains_prefix(column, rules), SqlFragment(sql=f"{new.sql} <> {value}", values=new.values))


def _contains_prefix(column: Column, rules: UriRules) -> SqlFragment:
    """Condition that a prefix occurs in the text."""
    # `replace` is cheap: it spares most rows the patterns.
    value = _value(column)
    return either(
        [SqlFragment(sql=f"replace({value}, %s, '') <> {value}", values=(each.source,)) for each in rules.moving]
    )


def build_new_value(column: Column, rules: UriRules) -> SqlFragment:
    """New value of a row that names the source."""
    name = quote_identifier(column.name)
    if column.holds == "address":
        return _case(
            rules,
            lambda each: SqlFragment(
                sql=f"CAST(%s AS text) || substr({name}, {len(each.source) + 1})", values=(each.target,)
            ),
            name,
            otherwise=name,
        )
    part = _tokens(_value(column), rules)
    for number, each in enumerate(rules.rules):
        part = SqlFragment(sql=f"replace({part.sql}, %s, %s)", values=(*part.values, token(number), each.target))
    return part


def exceeds_length(column: Column, rules: UriRules) -> SqlFragment:
    """Condition that the new value is longer than the column."""
    new = build_new_value(column, rules)
    named_there = _contains_prefix(column, rules) if column.holds == "text" else names_source(column, rules)
    return both(named_there, SqlFragment(sql=f"length({new.sql}) > {column.limit}", values=new.values))


def orphan(column: Column, rules: UriRules) -> SqlFragment:
    """Condition of an address that no rule covers, that is neither at the target nor external."""
    name = quote_identifier(column.name)
    known = [lies_below(name, each) for each in (*(rule.source for rule in rules.rules), *rules.settled)]
    others = [SqlFragment(sql=f"substr({name}, 1, {len(each)}) = %s", values=(each,)) for each in NOT_OURS]
    met = either([*known, *others])
    return both(
        SqlFragment(sql=f"{name} IS NOT NULL"), address_like(name), SqlFragment(sql=f"NOT {met.sql}", values=met.values)
    )


def address_like(name: str) -> SqlFragment:
    """Condition that excludes words such as "prompt-template" in the place of an address."""
    return SqlFragment(sql=f"(replace({name}, '/', '') <> {name} OR replace({name}, ':', '') <> {name})")


def mention(column: Column, rules: UriRules, moved: Sequence[str]) -> SqlFragment:
    """Condition that the text names something moved even after all rules."""
    left = _tokens(quote_identifier(column.name), rules)
    again = left
    for each in moved:
        again = SqlFragment(
            sql=f"regexp_replace({again.sql}, %s, '', 'g')", values=(*again.values, prefix_pattern(each))
        )
    return SqlFragment(sql=f"{again.sql} <> {left.sql}", values=(*again.values, *left.values))


def prefix_pattern(prefix: str) -> str:
    return f"{BEFORE}{re.escape(prefix)}{AFTER}"


def _tokens(value: str, rules: UriRules) -> SqlFragment:
    """The text with a placeholder for each address that fits a rule."""
    part = SqlFragment(sql=value)
    for number, each in enumerate(rules.rules):
        part = SqlFragment(
            sql=f"regexp_replace({part.sql}, %s, %s, 'g')", values=(*part.values, each.pattern, token(number))
        )
    return part


def lies_below(name: str, prefix: str) -> SqlFragment:
    """Condition that a whole value equals a prefix or lies below it."""
    below = f"{prefix}/"
    return SqlFragment(sql=f"({name} = %s OR substr({name}, 1, {len(below)}) = %s)", values=(prefix, below))


def _case(rules: UriRules, then: Callable[[UriRule], SqlFragment], name: str, *, otherwise: str) -> SqlFragment:
    """Expression by the first rule that covers the value."""
    if not rules.rules:
        return SqlFragment(sql=otherwise)
    sql, values = ["CASE"], list[object]()
    for each in rules.rules:
        when, what = lies_below(name, each.source), then(each)
        sql += ["WHEN", when.sql, "THEN", what.sql]
        values += [*when.values, *what.values]
    return SqlFragment(sql=" ".join([*sql, "ELSE", otherwise, "END"]), values=tuple(values))


def _first(rules: UriRules, then: Callable[[UriRule], SqlFragment], name: str, *, otherwise: str) -> SqlFragment:
    """Condition by the first rule that covers the value."""
    sql, values = list[str](), list[object]()
    tried = SqlFragment(sql="1 = 1")
    for each in rules.rules:
        when, what = lies_below(name, each.source), then(each)
        met = both(tried, when, what)
        sql.append(met.sql)
        values += met.values
        tried = both(tried, SqlFragment(sql=f"NOT {when.sql}", values=when.values))
    return SqlFragment(sql=f"({' OR '.join([*sql, otherwise])})", values=tuple(values))


def both(*parts: SqlFragment) -> SqlFragment:
    return SqlFragment(
        sql=" AND ".join(each.sql for each in parts), values=tuple(value for each in parts for value in each.values)
    )


def either(parts: Sequence[SqlFragment]) -> SqlFragment:
    sql = " OR ".join(each.sql for each in parts) or "1 = 0"
    return SqlFragment(sql=f"({sql})", values=tuple(value for each in parts for value in each.values))
