"""`atoll handover`: the platform of a stack as files for Argo CD, in a folder of the customer's own repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress, show
from cli.terminal.output import require_folder
from operations.gitops.argo_cd import ArgoCdSource, files, find_outdated_files
from operations.gitops.components import groups
from operations.project.accepted_lock import read_accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import display_path, require_stack
from planning.inputs.files import read_text
from planning.values.errors import InputError


def run_handbook(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Folder for source and site.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    outputs: Annotated[
        str,
        options.make_option(
            "--outputs",
            "FILE",
            "What `atoll outputs STACK --json` printed, for the addresses that only a running cluster knows.",
        ),
    ] = "",
) -> int:
    """Write the handbook of the customer's engineers, from the lock, the checklist and the outputs."""
    to = require_folder(output, old=to, option="--to")
    project = require_stack(stack)
    with progress(f"building the handbook of {stack}"):
        from operations.handbook.facts import facts_of  # noqa: PLC0415 - the program's rooms are imported once needed
        from operations.handbook.site import refuse_foreign, write  # noqa: PLC0415 - as above

        folder = Path(to)
        refuse_foreign(folder.resolve(), stack=stack, shown=folder)
        facts = facts_of(project, stack, outputs=Path(outputs) if outputs else None)
        index = write(facts, folder)
    show(f"written: {display_path(index)}", f"source: {display_path(folder)}/docs, {display_path(folder)}/mkdocs.yml")
    if not facts.outputs.is_known:
        note(f"addresses that only a running cluster knows are left open: atoll outputs {stack} --json > outputs.json")
    if not facts.checklist.agreement.contacts:
        note("nobody is named to call: agreement.contacts in the checklist")
    return 0


ASKED = "argo_cd"


def run_handover(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Folder to write into.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    repository: Annotated[str, options.make_option("--repository", "URL", "Repository the folder is in.")],
    revision: Annotated[str, typer.Option("--revision", metavar="NAME", help="Branch or tag that is read.")] = "main",
    folder: Annotated[
        str, options.make_option("--folder", "PATH", "Path of the folder in the repository.", default="top")
    ] = "",
) -> int:
    """Write the platform as Argo CD applications, without a secret in them.

    Run it after `atoll up` or `atoll preview`, which write what is different from upstream's manifests.
    """
    to = require_folder(output, old=to, option="--to")
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack)
    decided = lock.spec.platform
    if decided is None or decided.handover != ASKED:
        raise InputError(
            f"the lock of {stack} does not hand its platform over",
            hint=f"say platform.handover: {ASKED} in the checklist, then quote and accept again",
        )
    with progress(f"running the program of {stack}"):
        from operations.offline.program import run as run_offline  # noqa: PLC0415 - Pulumi is imported once it is needed

        found, staying = groups(run_offline(stack, root=project.root).resources)
    place = ArgoCdSource(repository=repository, revision=revision, folder=folder)
    texts = files(found, staying, place=place, overlay=lambda path: _overlay(project.stacks / path, stack=stack))
    target = Path(to)
    old = find_outdated_files(target, texts) if target.is_dir() else []
    write_all({target / path: text for path, text in texts.items()})
    for path in old:
        path.unlink()
    note(f"written: {len(texts)} files in {to}" + (f", {len(old)} removed that are no more" if old else ""))
    note(f"{len(staying)} objects stay with Atoll: see {to}/README.md")
    return 0


def _overlay(folder: Path, *, stack: str) -> str:
    path = folder / "kustomization.yaml"
    if not path.is_file():
        raise InputError(f"{path} is not there: what is different from upstream's manifests was not written yet",
                         hint=f"run atoll preview {stack} first")  # fmt: skip
    return read_text(path)
