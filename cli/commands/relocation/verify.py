"""`atoll relocate verify`: both sides looked at and held against each other, at any time."""

from typing import TYPE_CHECKING

from cli.commands.relocation import options
from cli.terminal import options as arguments
from cli.terminal.console import note
from cli.terminal.output import deliver
from operations.project.signals import until_stopped

if TYPE_CHECKING:
    from operations.relocation.copies.verification import BucketProof

NOT_PROVEN = 1


def run_verify(
    source: options.Source,
    target: options.Target,
    *,
    name: options.Name = "",
    places: options.PlacesFile = "",
    plain: options.Plain = False,
    as_json: arguments.AsJson = False,
    output: arguments.Output = None,
) -> int:
    """Prove what is copied, by manifests of our own; exit code 1 where something is missing, extra or different.

    Both sides are only read, the source again from its first byte, and no step is counted as done. A report of each
    bucket is written into the relocation's folder. While the source is written, it differs from its copy by that.
    """

    def work() -> int:
        from operations.relocation import workspace  # noqa: PLC0415 - the mover, once there is something to prove
        from operations.relocation.copies import verification  # noqa: PLC0415 - as above

        parts = workspace.prepare_verification(source, target, name=name, places=places, in_clear=plain, say=note)
        asked = verification.Proving(
            places=parts.places, folder=parts.folder, secrets=parts.secrets, say=note, again=True, prefix="proof"
        )
        found = verification.prove(asked)
        form = {"buckets": [_form(each) for each in found]}
        deliver(form, as_json=as_json, output=output, parts=lambda: map(_lines, found))
        return 0 if all(each.proven for each in found) else NOT_PROVEN

    return until_stopped(work, told=lambda: note("stopped; nothing was proven"))


def _form(found: "BucketProof") -> dict[str, object]:
    return {
        "bucket": found.bucket,
        "proven": found.proven,
        "sentence": found.sentence,
        "changed_meanwhile": found.changes,
        "left_out_at_the_source": found.left_out,
        "report": str(found.path),
        "first": list(found.first),
    }


def _lines(found: "BucketProof") -> str:
    lines = "".join(f"  {each}\n" for each in found.text.splitlines())
    return f"{found.bucket}: {'proven' if found.proven else 'not proven'}\n{lines}  report: {found.path}"
