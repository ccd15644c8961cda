"""The acceptance report as a document, made from its JSON alone: the text that is read is the text that was signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.acceptance.report.formatting import FAILED, UNTOLD, Speaker, from_report, quote_text
from planning.acceptance.report.tables import fabric_blocks, node_blocks
from planning.agents.measurement_records import BY_ID, Per
from planning.documents.blocks import Bullets, Document, Heading, Notice, Paragraph, Table
from planning.documents.figures import Figure, Origin, Sentence, derive_figure, join_sentences, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from planning.acceptance.report.form import AcceptanceForm, VerdictForm
    from planning.documents.blocks import Block

VERDICTS: Final[Mapping[str, str]] = {
    "passed": "Passed: every required measurement is as promised.",
    FAILED: "Failed: the checks listed below are not as promised.",
    "missing": "Not accepted: a required measurement is missing.",
    "undetermined": "Undetermined: a measurement is not conclusive, or has no known limit.",
}
NO_FAULT: Final = "Nothing failed."


def document(form: AcceptanceForm, *, sources: Mapping[str, str]) -> Document:
    """Build the document.

    Args:
        sources: id of each source in sources.csv to its text.
    """
    speaker = Speaker(form, sources)
    return Document(
        title=say("Acceptance of ", _cite_lock(form["stack"], "stack")),
        subtitle=_subtitle(form),
        blocks=(
            *_verdict(form, speaker),
            *_failures(form, speaker),
            *_untold(form, speaker),
            *node_blocks(form, speaker),
            *fabric_blocks(form, speaker),
            *_table(form, speaker, Per.TIER, "Storage", "tier"),
            *_table(form, speaker, Per.NETWORK, "Network", "check"),
            *_table(form, speaker, Per.SERVICE, "Services", "service"),
            *_how(form, speaker),
            *_render_signature(form),
        ),
    )


def _subtitle(form: AcceptanceForm) -> Sentence:
    times = [
        quote_text(form["results"][name][:16].replace("T", " "), f"results.{name}") for name in ("started", "ended")
    ]
    return say("Option ", _cite_lock(form["option"], "option"), ", measured from ", times[0], " to ", times[1], " UTC.")


def _verdict(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    failed = form["failed_nodes"]
    said = say(VERDICTS[form["outcome"]])
    if failed:
        names = join_sentences([speaker.name(f"node/{name}") for name in failed])
        said = say(said, " Nodes that failed: " if len(failed) > 1 else " The node that failed: ", names, ".")
    yield Notice(said)
    if form["only"]:
        asked = join_sentences(quote_text(text, f"only.{at}") for at, text in enumerate(form["only"]))
        yield Notice(say("Partial run, limited to ", asked, ". It is not the acceptance of the cluster."))


def _failures(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    failed = [each for each in form["verdicts"] if each["outcome"] == FAILED]
    yield Heading(2, say("Failed checks"))
    if not failed:
        yield Paragraph(say(NO_FAULT))
        return
    ranked = sorted(failed, key=lambda each: (not each["subject"].startswith("node/"), each["subject"]))
    yield Bullets(tuple(_failure(each, speaker) for each in ranked))


def _failure(verdict: VerdictForm, speaker: Speaker) -> Sentence:
    head = say(_kind(verdict), speaker.name(verdict["subject"]), ", ", speaker.describe_check(verdict), ": ")
    if verdict["measured"] is None or (verdict["least"] is None and verdict["most"] is None):
        return say(head, speaker.quote_sentence(verdict))
    found = say(speaker.build_figure(verdict), f" {verdict['unit']}".rstrip())
    return say(head, found, ", and ", speaker.describe_bound(verdict), " was promised")


def _kind(verdict: VerdictForm) -> str:
    return f"{verdict['subject'].partition('/')[0]} "


def _untold(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    silent = [each for each in form["verdicts"] if each["outcome"] in UNTOLD]
    items = [
        say(
            _kind(each),
            speaker.name(each["subject"]),
            ", ",
            speaker.describe_check(each),
            ": ",
            speaker.quote_sentence(each),
        )
        for each in silent
    ]
    items += [quote_text(text, f"unfinished.{at}") for at, text in enumerate(form["unfinished"])]
    items += [say("unused record: ", quote_text(text, f"faults.{at}")) for at, text in enumerate(form["faults"])]
    if items:
        yield Heading(2, say("Undetermined checks"))
        yield Bullets(tuple(items))


def _table(form: AcceptanceForm, speaker: Speaker, per: Per, title: str, head: str) -> Iterator[Block]:
    mine = [each for each in form["verdicts"] if BY_ID[each["check"]].per is per]
    if not mine:
        return
    yield Heading(2, say(title))
    rows = [
        (
            speaker.name(each["subject"]),
            speaker.describe_check(each),
            _render_finding(each, speaker),
            speaker.describe_bound(each) if each["check"] in HELD else say(""),
            say(each["outcome"]),
        )
        for each in mine
    ]
    words: Sequence[str] = (head, "what was measured", "measured", "promised", "verdict")
    kept = [at for at in range(len(words)) if at != 3 or any(row[3].text for row in rows)]  # noqa: PLR2004 - "promised"
    yield Table(head=tuple(say(words[at]) for at in kept), rows=tuple(tuple(row[at] for at in kept) for row in rows))


HELD: Final = ("loader", "checkpoint", "code", "small_files")


def _render_finding(verdict: VerdictForm, speaker: Speaker) -> Sentence:
    return speaker.format_measurement(verdict) if verdict["measured"] is not None else speaker.quote_sentence(verdict)


def _how(form: AcceptanceForm, speaker: Speaker) -> Iterator[Block]:
    if not form["tools"]:
        return
    yield Heading(2, say("Method of measurement"))
    yield Table(
        head=(say("check"), say("tool")),
        rows=tuple((say(BY_ID[each["check"]].title), quote_text(each["tool"], each["at"])) for each in form["tools"]),
    )
    pools = [
        say(_accelerators(form, at), " in ", speaker.name(pool["subject"])) for at, pool in enumerate(form["pools"])
    ]
    digest = from_report(form["lock_digest"], "lock_digest")
    if pools:
        yield Paragraph(say("The lock has ", join_sentences(pools), ". Its digest is ", digest, "."))


def _accelerators(form: AcceptanceForm, index: int) -> Sentence:
    pool = form["pools"][index]
    nodes = Figure(text=f"{pool['nodes']:,}", origin=Origin.LOCK, at=pool["nodes_at"])
    each = Figure(text=str(pool["accelerators"]), origin=Origin.LOCK, at=f"{pool['at']}.accelerators")
    kind = Figure(text=pool["accelerator"], origin=Origin.LOCK, at=f"{pool['at']}.accelerator")
    both = derive_figure(pool["nodes"] * pool["accelerators"], "nodes times accelerators of one", nodes, each)
    return say(nodes, " nodes with together ", both, " ", kind)


def _render_signature(form: AcceptanceForm) -> Iterator[Block]:
    yield Heading(2, say("Signature"))
    signature = form["signature"]
    if signature is None:
        yield Notice(say("This report is not signed: neither its origin nor a later change can be verified."))
        return
    key = from_report(signature["key"], "signature.key")
    kind = quote_text(signature["algorithm"], "signature.algorithm")
    said = say("The JSON of this report is signed with the ", kind, " key ", key, ", as ssh-keygen -lf shows it. ")
    yield Paragraph(say(said, "atoll accept-test --verify verifies it; this page itself is no proof."))


def _cite_lock(text: str, at: str) -> Sentence:
    return say(Figure(text=text, origin=Origin.LOCK, at=at))
