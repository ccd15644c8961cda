"""`atoll gitops export`: the platform as files of a git repository, for Argo CD."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from cli.terminal import options
from cli.terminal.console import note, progress
from cli.terminal.options import require_folder
from operations.gitops.argo_cd import ArgoCdSource, files, find_outdated_files
from operations.gitops.components import groups
from operations.project.accepted_lock import read_accepted_lock
from operations.project.atomic_files import write_all
from operations.project.workspace import require_stack
from planning.inputs.files import read_text
from planning.values.errors import InputError

app = typer.Typer(no_args_is_help=True, help="Export the platform to a git repository that Argo CD reads.")

ASKED: Final = "argo_cd"


@app.command("export")
def export(
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

    Run it after `atoll up` or `atoll preview`, which write our changes to the upstream manifests.
    """
    to = require_folder(output, old=to, option="--to")
    project = require_stack(stack)
    lock = read_accepted_lock(project, stack)
    decided = lock.spec.platform
    if decided is None or decided.handover != ASKED:
        raise InputError(
            f"the lock of {stack} does not export its platform to Argo CD",
            hint=f"set platform.handover: {ASKED} in the checklist, then quote and accept again",
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
    note(f"written: {len(texts)} files in {to}" + (f", {len(old)} outdated ones removed" if old else ""))
    note(f"{len(staying)} objects stay with Atoll: see {to}/README.md")
    return 0


def _overlay(folder: Path, *, stack: str) -> str:
    path = folder / "kustomization.yaml"
    if not path.is_file():
        raise InputError(
            f"{path} is missing: our changes to the upstream manifests were not written yet",
            hint=f"run atoll preview {stack} first",
        )
    return read_text(path)
