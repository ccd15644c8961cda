"""The policy pack in a project of a test: put beside its stacks, asked, and read; and the law of that project."""

from __future__ import annotations

import json
import shutil
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from existing_plan import ROOT

from planning.spec.lock import read_lock, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine_here import Here

Done = subprocess.CompletedProcess[str]
Said = set[tuple[str, str, str, str]]
PACK = ("--policy-pack", "policies")


def with_pack(here: Here) -> Here:
    """The project with the pack, as it stands beside stacks/ in every project."""
    (here.folder / "policies").mkdir()
    for name in ("__main__.py", "PulumiPolicy.yaml"):
        shutil.copy(ROOT / "policies" / name, here.folder / "policies")
    return here


def under(here: Here, stack: str, usd_per_month: int | None) -> Here:
    """The project with another ceiling in the stack's lock."""
    file = here.folder / f"stacks/{stack}/quote.lock.json"
    lock = read_lock(file)
    limit = None if usd_per_month is None else Decimal(usd_per_month)
    changed = lock.ceiling.model_copy(update={"usd_per_month": limit})
    file.write_text(to_text(lock.model_copy(update={"ceiling": changed})), encoding="utf-8")
    return here


def by_law(here: Here, **sections: Any) -> Here:
    """The project with these sections of stacks/policies.yaml."""
    (here.folder / "stacks/policies.yaml").write_text(json.dumps(sections, indent=2), encoding="utf-8")
    return here


def pulumi(here: Here, *arguments: str, **variables: str) -> Done:
    state = {"PULUMI_BACKEND_URL": f"file://{here.folder}/.pulumi-state", "PULUMI_DEBUG_COMMANDS": "true"}
    return here._run(["pulumi", *arguments, "--non-interactive"], {**state, **variables})


def planned(here: Here, stack: str) -> tuple[str, Said, int]:
    """The plan, what the rules say in it, and its exit code."""
    done = here.atoll("plan", stack, "--json")
    assert "Traceback" not in done.stderr
    found = json.loads(done.stdout)["policies"]
    said = {
        (each["rule"], "mandatory" if each["stops"] else "advisory", each["urn"], each["sentence"]) for each in found
    }
    return done.stdout, said, done.returncode


def events(lines: Iterable[str]) -> Said:
    """What policies said in a log of events; the stack itself stands for what is about no single resource."""
    found: Said = set()
    for line in lines:
        event: Mapping[str, Any] = json.loads(line).get("policyEvent", {})
        if event:
            urn = "" if ":pulumi:Stack::" in event["resourceUrn"] else event["resourceUrn"]
            found.add((event["policyName"], event["enforcementLevel"], urn, event["message"].strip()))
    return found


def stopping(said: Said) -> bool:
    return any(level == "mandatory" for _, level, _, _ in said)
