"""Where a relocation stands, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from operations.relocation.runner.status import StatusForm


def status_parts(form: StatusForm) -> Iterator[RenderableType]:
    """A sentence, the table of steps, and what is next."""
    state = form["state"].replace("_", " ")
    yield f"{form['source']} to {form['target']}, attempt {form['attempt']}: {state}"
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("step", "state", "since", "evidence"):
        table.add_column(name, overflow="fold")
    for each in form["steps"]:
        again = f" ({each['tries']} times)" if each["tries"] > 1 else ""
        since = (each["at"] or "")[:19].replace("T", " ")
        table.add_row(each["name"], f"{each['state']}{again}", since, each["brief"])
    yield table
    if form["running"]:
        yield f"it is being run by {form['running']}"
    if form["frozen"]:
        yield form["frozen"]
    yield form["why"]
    yield f"next: {form['next']}"
