"""Names of the options of a quote: their order, their letters, which no colour has to tell apart, their twins."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from string import ascii_uppercase
from typing import TYPE_CHECKING, Final

from planning.ceilings.verdict import NO_CEILING
from planning.values.money import ZERO
from planning.values.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.quoting.quote import Option, Quote, Twin
    from planning.spec.cluster import Placement

RECOMMENDED: Final = "recommended"
NOTICED: Final = Decimal("0.0005")  # share of the cost that one decimal of a percentage shows
VERDICTS: Final = {Verdict.WITHIN: "within", Verdict.OVER: "over", Verdict.CANNOT_TELL: "undetermined"}


def order_options(quote: Quote) -> Quote:
    """The quote with its options in reading order: the recommended one first, last those that miss something most.

    An option that is a line under another one is not in it.
    """
    options = sorted(quote.shown, key=lambda each: (bool(each.misses), _hours_with_misses(each), not each.recommended))
    return replace(quote, options=tuple(options))


def _hours_with_misses(option: Option) -> Decimal:
    """Hours of the longest run of an option that misses something; 0 of one that meets the checklist."""
    return max((run.hours for run in option.runs), default=ZERO) if option.misses else ZERO


def letter(at: int) -> str:
    """Letter of an option by its place, "A" for the first."""
    return ascii_uppercase[at] if at < len(ascii_uppercase) else f"{ascii_uppercase[-1]}{at}"


def views(option: Option) -> str:
    names = dict.fromkeys(((RECOMMENDED,) if option.recommended else ()) + option.views)
    return ", ".join(view.replace("_", " ") for view in names)


def option_title(at: int, option: Option) -> str:
    """An option in a heading: "A: cheapest, same cloud"."""
    return f"{letter(at)}: {views(option)}"


def places(option: Option) -> str:
    return " + ".join(f"{each.placement.provider} {each.placement.region}" for each in option.placements)


def describe_verdict(option: Option) -> str:
    """The verdict in prose; nothing is within a ceiling that nobody set."""
    return "no ceiling" if option.judgement.reason == NO_CEILING else VERDICTS[option.judgement.verdict]


def explain_verdict(option: Option) -> str:
    reason = option.judgement.reason
    return reason if reason == NO_CEILING else f"{describe_verdict(option)}: {reason}"


def describe_tradeoff(option: Option) -> str:
    """Why it is recommended, or what it gains and loses; what it was chosen for where nobody compared it."""
    return option.tradeoff or "; ".join(option.why)


def describe_twins(option: Option, *, most: int = 0) -> str:
    """The same cluster at other places: "also in us-west1, +0.3% (same cloud)"; "" where there is none.

    Args:
        most: places without a view that are named, the nearest in cost; 0 for all.
    """
    home = option.spec.placement
    plain = [each for each in option.twins if not each.views]
    unnamed = plain[most:] if most else []
    said = [_twin(each, home=home) for each in option.twins if each not in unnamed]
    said += [f"and at {len(unnamed)} more places" if len(unnamed) > 1 else "and at 1 more place"] if unnamed else []
    return f"also {'; '.join(said)}" if said else ""


def _twin(twin: Twin, *, home: Placement) -> str:
    place = f"in {twin.region}" if twin.provider == home.provider else f"at {twin.provider} {twin.region}"
    if (twin.provider, twin.region) == (home.provider, home.region) and twin.option_id:
        place = f"as {twin.option_id}"
    goals = f" ({', '.join(view.replace('_', ' ') for view in twin.views)})" if twin.views else ""
    cost = f"{twin.share * 100:+.1f}%" if abs(twin.share) >= NOTICED else "same cost"
    change = f" with {twin.difference}" if twin.difference else ""
    return f"{place}{change}, {cost}{goals}"


def describe_misses(option: Option) -> str:
    """What of the checklist it does not meet; "" where it meets all of it."""
    return f"misses: {'; '.join(option.misses)}" if option.misses else ""


def find_shared(said: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Sentences that every option says, in the order of the first; none where there is one option alone."""
    if len(said) < 2:  # noqa: PLR2004 - two options can share a sentence
        return ()
    return tuple(each for each in dict.fromkeys(said[0]) if all(each in other for other in said[1:]))
