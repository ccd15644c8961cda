"""The table of pages: what each is called, where it stands, and which clusters have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.handbook.facts import Facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page.

    Args:
        id: name of its template, and of its file.
        section: heading of the navigation that it is under; "" at the top.
        when: whether a cluster has it.
    """

    id: str
    title: str
    section: str
    when: Callable[[Facts], bool]


def _always(facts: Facts) -> bool:
    return bool(facts.stack)


def _part(*names: str) -> Callable[[Facts], bool]:
    return lambda facts: facts.has(*names)


def _models(facts: Facts) -> bool:
    return facts.has("kserve") or facts.has("model_registry")


BEGIN: Final = "Begin"
TRAIN: Final = "Train"
KEEP: Final = "Keep and serve"
LIVE: Final = "Day by day"
PAGES: Final = (
    Page(id="index", title="Start here", section="", when=_always),
    Page(id="get-in", title="Get in", section=BEGIN, when=_always),
    Page(id="notebooks", title="Your first notebook", section=BEGIN, when=_part("notebooks")),
    Page(id="first-job", title="Queue a training job", section=TRAIN, when=_part("queues")),
    Page(id="many-jobs", title="Many jobs: in parallel, in sequence", section=TRAIN, when=_part("queues")),
    Page(id="distributed", title="One job on many nodes", section=TRAIN, when=_part("trainer")),
    Page(id="sweeps", title="Sweeps", section=TRAIN, when=_part("katib")),
    Page(id="pipelines", title="Pipelines", section=TRAIN, when=_part("pipelines")),
    Page(id="slurm", title="Slurm", section=TRAIN, when=lambda facts: bool(facts.shares)),
    Page(id="checkpoints", title="Checkpoints and lost nodes", section=TRAIN, when=_always),
    Page(id="tracking", title="Track experiments", section=KEEP, when=lambda facts: bool(facts.tracker)),
    Page(id="models", title="Models: register and serve", section=KEEP, when=_models),
    Page(id="reproduce", title="Reproduce an old model", section=KEEP, when=_always),
    Page(id="storage", title="Where your files go", section=KEEP, when=_always),
    Page(id="small-files", title="Millions of small files", section=KEEP, when=_always),
    Page(id="dashboards", title="Dashboards and logs", section=LIVE, when=_part("prometheus")),
    Page(id="money", title="Costs, quotas and what stops when", section=LIVE, when=_always),
    Page(id="trouble", title="When something breaks", section=LIVE, when=_always),
)
