"""`atoll handover`: the platform of a stack as files for Argo CD, in a folder of the customer's own repository."""

from pathlib import Path
from typing import Annotated

import typer

from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.output import needed_folder
from operations.gitops.argo_cd import Place, files, outdated
from operations.gitops.components import groups
from operations.project.accepted_lock import accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import known_stack
from planning.inputs.files import read_text
from planning.values.errors import InputError

ASKED = "argo_cd"


def run_handover(
    stack: options.Stack,
    *,
    output: Annotated[str, options.folder_option("Folder to write into.")] = "",
    to: Annotated[str, options.old_option("--to", metavar="DIR")] = "",
    repository: Annotated[
        str, typer.Option("--repository", metavar="URL", help="Repository the folder is in.", show_default=False)
    ],
    revision: Annotated[str, typer.Option("--revision", metavar="NAME", help="Branch or tag that is read.")] = "main",
    folder: Annotated[
        str, typer.Option("--folder", metavar="PATH", help="Path of the folder in the repository.", show_default="top")
    ] = "",
) -> int:
    """Write the platform as Argo CD applications, without a secret in them.

    Run it after `atoll up` or `atoll preview`, which write what is different from upstream's manifests.
    """
    to = needed_folder(output, old=to, option="--to")
    project = known_stack(stack)
    lock = accepted_lock(project, stack)
    decided = lock.spec.platform
    if decided is None or decided.handover != ASKED:
        raise InputError(
            f"the lock of {stack} does not hand its platform over",
            hint=f"say platform.handover: {ASKED} in the checklist, then quote and accept again",
        )
    with progress(f"running the program of {stack}"):
        from operations.offline.program import run as run_offline  # noqa: PLC0415 - Pulumi is imported once it is needed

        found, staying = groups(run_offline(stack, root=project.root).resources)
    place = Place(repository=repository, revision=revision, folder=folder)
    texts = files(found, staying, place=place, overlay=lambda path: _overlay(project.stacks / path, stack=stack))
    target = Path(to)
    old = outdated(target, texts) if target.is_dir() else []
    write_all({target / path: text for path, text in texts.items()})
    for path in old:
        path.unlink()
    note(f"written: {len(texts)} files in {to}" + (f", {len(old)} removed that are no more" if old else ""))
    note(f"{len(staying)} objects stay with Atoll: see {to}/README.md")
    return 0


def _overlay(folder: Path, *, stack: str) -> str:
    """The kustomization that the last update wrote."""
    path = folder / "kustomization.yaml"
    if not path.is_file():
        raise InputError(f"{path} is not there: what is different from upstream's manifests was not written yet",
                         hint=f"run atoll preview {stack} first")  # fmt: skip
    return read_text(path)
