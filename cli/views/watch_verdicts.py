"""What a watched stack comes to, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.views.diff import amounts as figures

if TYPE_CHECKING:
    from operations.plans.watch_form import WatchedForm, WatchForm

LOUD: Final = {"over": "OVER", "cannot tell": "CANNOT TELL"}


def state(stack: WatchedForm) -> str:
    """Failed, over, cannot tell, differs from the lock, or within."""
    if stack["verdict"] is None:
        return "FAILED"
    said = LOUD.get(stack["verdict"]["verdict"], "")
    return said or ("DIFFERS FROM ITS LOCK" if stack["differences"] else "within")


def is_loud(stack: WatchedForm) -> bool:
    """Whether somebody should look."""
    return state(stack) != "within"


def headline(form: WatchForm) -> str:
    """How many of the stacks somebody should look at."""
    loud, total = sum(map(is_loud, form["stacks"])), len(form["stacks"])
    if not total:
        return "no stack was looked at"
    if not loud:
        return f"{total} running stack{'s are' if total != 1 else ' is'} within the limits"
    return f"{loud} of {total} running stack{'s' if total != 1 else ''} need{'s' if loud == 1 else ''} a look"


def reason(stack: WatchedForm) -> str:
    """Why it has its state."""
    if stack["verdict"] is None:
        return stack["failure"] or "nothing is known of it"
    if stack["verdict"]["verdict"] == "within" and stack["differences"]:
        count = len(stack["differences"])
        return f"what runs is not what was accepted, on {count} line{'s' if count != 1 else ''} of the bill"
    return stack["verdict"]["reason"]


def prices_of(form: WatchForm) -> str:
    """The price book and its day."""
    return f"price book {form['prices']} of {form['prices_as_of'] or 'no date'}, on {form['day']}"


def amounts(stack: WatchedForm) -> tuple[str, str, str, str, str]:
    """Accepted, by prices, by resources, running, and the share by which it moved."""
    return (
        figures.amount(stack["accepted"], absent=figures.NOT_KNOWN),
        figures.delta(stack["by_prices"], stack["accepted"], stack["repriced"]),
        figures.delta(stack["by_resources"], stack["repriced"], stack["running"]),
        figures.amount(stack["running"], absent=figures.NOT_KNOWN),
        figures.spread(stack["running"]),
    )
