"""Prefixes of addresses and what they become: matched at an exact boundary, the longest first, never twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations.relocation.databases.sql import MetadataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# In a longer text an address ends at one of these, or where the text does; a backslash is a quote of JSON in JSON.
AFTER: Final = r"""(?=$|[]/"'\s,;)}>?#\\|&<])"""
BEFORE: Final = r"(?<![A-Za-z0-9+.-])"


@dataclass(frozen=True, slots=True, kw_only=True)
class UriRule:
    """One prefix, without a slash at its end.

    Args:
        target: the same as `source` where addresses below it stay as they are.
    """

    source: str
    target: str

    @property
    def stays(self) -> bool:
        """Whether it only says that addresses are right as they are."""
        return self.source == self.target

    def covers(self, address: str) -> bool:
        """Whether an address is the prefix or lies below it."""
        return within(address, self.source)

    @property
    def pattern(self) -> str:
        """Finds the prefix in a longer text, in words that PostgreSQL and Python read alike."""
        return f"{BEFORE}{re.escape(self.source)}{AFTER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UriRules:
    """Those of one relocation, the longest first."""

    rules: tuple[UriRule, ...]

    @property
    def moving(self) -> tuple[UriRule, ...]:
        """Those that change something."""
        return tuple(each for each in self.rules if not each.stays)

    @property
    def settled(self) -> tuple[str, ...]:
        """Prefixes below which an address is right after the rewriting."""
        return tuple(dict.fromkeys(each.target for each in self.rules))

    def applied(self, address: str) -> str:
        """What a whole address becomes."""
        for each in self.rules:
            if each.covers(address):
                return each.target + address[len(each.source) :]
        return address

    def applied_within(self, text: str) -> str:
        """A text with every address in it rewritten."""
        for number, each in enumerate(self.rules):
            text = re.sub(each.pattern, token(number), text)
        for number, each in enumerate(self.rules):
            text = text.replace(token(number), each.target)
        return text


def rules_of(pairs: Iterable[tuple[str, str]]) -> UriRules:
    """Rules from prefixes as a person writes them.

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
    """Whether an address is a prefix or lies below it: s3://a/xy is not below s3://a/x."""
    return address == prefix or address.startswith(f"{prefix}/")


def token(number: int) -> str:
    """What stands for a rule's target until every rule was tried, so that none meets what another wrote."""
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
