"""The tables of pages and examples, each with the clusters that have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.handbook.facts import HandbookFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class HandbookPage:
    """A page.

    Args:
        id: name of its template, and of its file.
        section: heading of the navigation that it is under; "" at the top.
        when: whether a cluster has it.
    """

    id: str
    title: str
    section: str
    when: Callable[[HandbookFacts], bool]


def _part(*names: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: facts.has(*names)


BEGIN: Final = "Begin"
TRAIN: Final = "Train"
KEEP: Final = "Keep and serve"
LIVE: Final = "Day by day"
PAGES: Final = (
    HandbookPage(id="index", title="Start here", section="", when=lambda _: True),
    HandbookPage(id="get-in", title="Access", section=BEGIN, when=lambda _: True),
    HandbookPage(id="notebooks", title="Your first notebook", section=BEGIN, when=_part("notebooks")),
    HandbookPage(id="first-job", title="Queue a training job", section=TRAIN, when=_part("queues")),
    HandbookPage(id="many-jobs", title="Many jobs: in parallel, in sequence", section=TRAIN, when=_part("queues")),
    HandbookPage(id="distributed", title="One job on many nodes", section=TRAIN, when=_part("trainer")),
    HandbookPage(id="sweeps", title="Sweeps", section=TRAIN, when=_part("katib")),
    HandbookPage(id="pipelines", title="Pipelines", section=TRAIN, when=_part("pipelines")),
    HandbookPage(id="slurm", title="Slurm", section=TRAIN, when=lambda facts: bool(facts.shares)),
    HandbookPage(id="checkpoints", title="Checkpoints and lost nodes", section=TRAIN, when=lambda _: True),
    HandbookPage(id="tracking", title="Track experiments", section=KEEP, when=lambda facts: bool(facts.tracker)),
    HandbookPage(
        id="models",
        title="Models: register and serve",
        section=KEEP,
        when=lambda facts: facts.has("kserve") or facts.has("model_registry"),
    ),
    HandbookPage(id="reproduce", title="Reproduce an old model", section=KEEP, when=lambda _: True),
    HandbookPage(id="storage", title="Where your files go", section=KEEP, when=lambda _: True),
    HandbookPage(id="small-files", title="Millions of small files", section=KEEP, when=lambda _: True),
    HandbookPage(id="dashboards", title="Dashboards and logs", section=LIVE, when=_part("prometheus")),
    HandbookPage(id="money", title="Costs, quotas and automatic stops", section=LIVE, when=lambda _: True),
    HandbookPage(id="trouble", title="When something breaks", section=LIVE, when=lambda _: True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """An example.

    Args:
        name: folder and file below `snippets`, without ".j2": its ending is its language.
        when: whether a cluster has it.
    """

    name: str
    when: Callable[[HandbookFacts], bool]


def _runtime(name: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: facts.has("trainer") and any(each.framework == name for each in facts.runtimes)


def _framework(name: str, *parts: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: name in facts.frameworks and facts.has(*parts)


def _tracker(name: str, *parts: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: facts.tracker == name and facts.has(*parts)


def _store(*parts: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: facts.has_team_store and facts.has(*parts)


def _scratch(*parts: str) -> Callable[[HandbookFacts], bool]:
    return lambda facts: bool(facts.hot) and bool(facts.claims) and facts.has(*parts)


SNIPPETS: Final = (
    Snippet(name="access/vpn.sh", when=lambda facts: facts.has_vpn),
    Snippet(name="access/hosts.txt", when=_part("ingress")),
    Snippet(name="access/authority.sh", when=_part("cert_manager", "ingress")),
    Snippet(name="access/certificate.sh", when=lambda facts: facts.target == "existing"),
    Snippet(name="access/kubeconfig.sh", when=lambda _: True),
    Snippet(name="access/ssh.sh", when=lambda facts: facts.has_ssh),
    Snippet(name="notebooks/accelerator.py", when=_framework("pytorch", "notebooks")),
    Snippet(name="notebooks/stop.sh", when=_part("notebooks")),
    Snippet(name="training/train.py", when=_part("queues")),
    Snippet(name="training/one-job.yaml", when=_part("queues")),
    Snippet(name="training/submit.sh", when=_part("queues")),
    Snippet(name="training/many-jobs.yaml", when=_part("queues")),
    Snippet(name="training/sequence.sh", when=_part("queues")),
    Snippet(name="distributed/data_parallel.py", when=_runtime("torch")),
    Snippet(name="distributed/data-parallel.yaml", when=_runtime("torch")),
    Snippet(name="distributed/submit.sh", when=_runtime("torch")),
    Snippet(name="distributed/mpi.yaml", when=_runtime("deepspeed")),
    Snippet(name="distributed/one_node.py", when=_framework("tensorflow", "trainer")),
    Snippet(name="distributed/one-node.yaml", when=_framework("tensorflow", "trainer")),
    Snippet(name="distributed/one-node.sh", when=_framework("tensorflow", "trainer")),
    Snippet(name="sweep/katib.yaml", when=_part("katib")),
    Snippet(name="sweep/submit.sh", when=_part("katib")),
    Snippet(name="pipeline/two_steps.py", when=_part("pipelines")),
    Snippet(name="pipeline/token.yaml", when=_part("pipelines")),
    Snippet(name="pipeline/run.py", when=_part("pipelines")),
    Snippet(name="pipeline/run.sh", when=_part("pipelines")),
    Snippet(name="serving/model.yaml", when=_part("kserve")),
    Snippet(name="serving/fit.py", when=_part("kserve")),
    Snippet(name="serving/keys.sh", when=_store("kserve")),
    Snippet(name="serving/ask.py", when=_part("kserve")),
    Snippet(name="serving/register.py", when=_part("model_registry")),
    Snippet(name="slurm/sign-in.sh", when=lambda facts: bool(facts.shares)),
    Snippet(name="slurm/first.sh", when=lambda facts: bool(facts.shares)),
    Snippet(name="slurm/submit.sh", when=lambda facts: bool(facts.shares)),
    Snippet(name="slurm/scale.sh", when=lambda facts: any(not share.standing for share in facts.shares)),
    Snippet(name="observability/send.sh", when=_part("collector")),
    Snippet(name="tracking/mlflow_run.py", when=_tracker("mlflow")),
    Snippet(name="tracking/recorded-job.yaml", when=_tracker("mlflow", "queues")),
    Snippet(name="tracking/recorded.sh", when=_tracker("mlflow", "queues")),
    Snippet(name="tracking/reproduce.py", when=_tracker("mlflow")),
    Snippet(name="tracking/laptop.sh", when=_tracker("mlflow")),
    Snippet(name="tracking/wandb_run.py", when=_tracker("wandb")),
    Snippet(name="tracking/comet_run.py", when=_tracker("comet")),
    Snippet(name="data/store.py", when=_store()),
    Snippet(name="data/stage.sh", when=_scratch()),
    Snippet(name="data/staged-job.yaml", when=_scratch("queues")),
    Snippet(name="data/staged.sh", when=_scratch("queues")),
    Snippet(name="data/checkpoint.py", when=_store()),
    Snippet(name="data/checkpoint-job.yaml", when=_store("queues")),
    Snippet(name="data/checkpoint.sh", when=_store("queues")),
    Snippet(name="data/shards.py", when=lambda _: True),
)
