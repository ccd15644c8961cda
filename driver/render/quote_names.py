"""Letters for the options of a quote: short enough for a chart, and no colour is needed to tell them apart."""

from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING

from driver.render.options import views

if TYPE_CHECKING:
    from planning.quote import Option


def letter(at: int) -> str:
    """Letter of an option by its place, "A" for the first."""
    return ascii_uppercase[at] if at < len(ascii_uppercase) else f"{ascii_uppercase[-1]}{at}"


def named(at: int, option: Option) -> str:
    """An option in a heading: "A: cheapest, at home"."""
    return f"{letter(at)}: {views(option)}"


def places(option: Option) -> str:
    """Provider and region of every placement."""
    return " + ".join(f"{each.placement.provider} {each.placement.region}" for each in option.placements)
