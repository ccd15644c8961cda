"""Pieces of SQL that ask whether a value names the source, and what it becomes; prefixes are always parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.relocation.databases.sql import joined, named
from operations.relocation.databases.uri_rules import AFTER, BEFORE, token

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from operations.relocation.databases.schema import Column
    from operations.relocation.databases.uri_rules import Rule, Rules

# Addresses that no bucket's name is in: served by MLflow itself, names of its own, and what lies with somebody else.
NOT_OURS: Final = (
    "mlflow-artifacts:", "models:", "runs:", "dbfs:", "http:", "https:", "hf:", "huggingface:", "mlflow-attachment:",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of SQL with its parameters."""

    sql: str
    values: tuple[object, ...] = ()


def source_of(column: Column) -> str:
    """The table."""
    return joined("FROM", named(column.table))


def rows_of(column: Column) -> Part:
    """Which rows of the table are meant."""
    keys = column.keys or column.other_keys
    if not keys:
        return Part(sql="1 = 1")
    marks = ", ".join("%s" for _ in keys)
    return Part(sql=f'"key" {"IN" if column.keys else "NOT IN"} ({marks})', values=keys)


def _value(column: Column) -> str:
    """The value as text: a column of JSON is one that is only counted."""
    return named(column.name) if column.holds != "record" else f"CAST({named(column.name)} AS text)"


def names_source(column: Column, rules: Rules) -> Part:
    """That the value names the source."""
    if not rules.moving:
        return Part(sql="1 = 0")
    if column.holds == "address":
        name = named(column.name)
        return _first(rules, lambda each: Part(sql="1 = 0" if each.stays else "1 = 1"), name, otherwise="1 = 0")
    value, new = _value(column), becomes(column, rules)
    return both(_seen(column, rules), Part(sql=f"{new.sql} <> {value}", values=new.values))


def _seen(column: Column, rules: Rules) -> Part:
    """That a prefix stands anywhere in the text, which is quick to tell and spares most rows the rest."""
    value = _value(column)
    return either([Part(sql=f"replace({value}, %s, '') <> {value}", values=(each.source,)) for each in rules.moving])


def becomes(column: Column, rules: Rules) -> Part:
    """The new value of a row that names the source."""
    name = named(column.name)
    if column.holds == "address":
        return _case(
            rules,
            lambda each: Part(sql=f"CAST(%s AS text) || substr({name}, {len(each.source) + 1})", values=(each.target,)),
            name,
            otherwise=name,
        )
    part = _tokens(_value(column), rules)
    for number, each in enumerate(rules.rules):
        part = Part(sql=f"replace({part.sql}, %s, %s)", values=(*part.values, token(number), each.target))
    return part


def over(column: Column, rules: Rules) -> Part:
    """That a row names the source, and that its new value is longer than the column takes."""
    new = becomes(column, rules)
    named_there = _seen(column, rules) if column.holds == "text" else names_source(column, rules)
    return both(named_there, Part(sql=f"length({new.sql}) > {column.limit}", values=new.values))


def orphan(column: Column, rules: Rules) -> Part:
    """That the value is an address that no rule covers, that is not at the target, and that is not somebody else's."""
    name = named(column.name)
    known = [under(name, each) for each in (*(rule.source for rule in rules.rules), *rules.settled)]
    others = [Part(sql=f"substr({name}, 1, {len(each)}) = %s", values=(each,)) for each in NOT_OURS]
    met = either([*known, *others])
    return both(Part(sql=f"{name} IS NOT NULL"), address_like(name), Part(sql=f"NOT {met.sql}", values=met.values))


def address_like(name: str) -> Part:
    """A word like "prompt-template" stands where a model's address would, and is none."""
    return Part(sql=f"(replace({name}, '/', '') <> {name} OR replace({name}, ':', '') <> {name})")


def mention(column: Column, rules: Rules, moved: Sequence[str]) -> Part:
    """That what is left of a text when every rule was applied still names something that is moved."""
    left = _tokens(named(column.name), rules)
    again = left
    for each in moved:
        again = Part(sql=f"regexp_replace({again.sql}, %s, '', 'g')", values=(*again.values, finds(each)))
    return Part(sql=f"{again.sql} <> {left.sql}", values=(*again.values, *left.values))


def finds(prefix: str) -> str:
    """Finds a prefix in a longer text."""
    return f"{BEFORE}{re.escape(prefix)}{AFTER}"


def _tokens(value: str, rules: Rules) -> Part:
    """The text with a mark for each address that fits a rule."""
    part = Part(sql=value)
    for number, each in enumerate(rules.rules):
        part = Part(sql=f"regexp_replace({part.sql}, %s, %s, 'g')", values=(*part.values, each.pattern, token(number)))
    return part


def under(name: str, prefix: str) -> Part:
    """That a whole value is a prefix or lies below it."""
    below = f"{prefix}/"
    return Part(sql=f"({name} = %s OR substr({name}, 1, {len(below)}) = %s)", values=(prefix, below))


def _case(rules: Rules, then: Callable[[Rule], Part], name: str, *, otherwise: str) -> Part:
    """The first rule that covers the value decides."""
    if not rules.rules:
        return Part(sql=otherwise)
    sql, values = ["CASE"], list[object]()
    for each in rules.rules:
        when, what = under(name, each.source), then(each)
        sql += ["WHEN", when.sql, "THEN", what.sql]
        values += [*when.values, *what.values]
    return Part(sql=" ".join([*sql, "ELSE", otherwise, "END"]), values=tuple(values))


def _first(rules: Rules, then: Callable[[Rule], Part], name: str, *, otherwise: str) -> Part:
    """As `_case`, for conditions."""
    sql, values = list[str](), list[object]()
    tried = Part(sql="1 = 1")
    for each in rules.rules:
        when, what = under(name, each.source), then(each)
        met = both(tried, when, what)
        sql.append(met.sql)
        values += met.values
        tried = both(tried, Part(sql=f"NOT {when.sql}", values=when.values))
    return Part(sql=f"({' OR '.join([*sql, otherwise])})", values=tuple(values))


def both(*parts: Part) -> Part:
    """Every one of some conditions."""
    return Part(
        sql=" AND ".join(each.sql for each in parts), values=tuple(value for each in parts for value in each.values)
    )


def either(parts: Sequence[Part]) -> Part:
    """One of some conditions."""
    sql = " OR ".join(each.sql for each in parts) or "1 = 0"
    return Part(sql=f"({sql})", values=tuple(value for each in parts for value in each.values))
