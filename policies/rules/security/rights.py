"""Policy documents give no right to everything; those that are known only after creation are named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.resources.resource import Properties, UnreadableError
from planning.inputs.files import parse_json
from planning.values.errors import InputError
from planning.values.verdict import Verdict
from policies.breach import Breach, Level, Severity
from policies.rule import Rule
from policies.rules.security.resource_origins import over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext

DOCUMENTS: Final = (
    "aws:iam/policy:Policy",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/userPolicy:UserPolicy",
    "aws:iam/groupPolicy:GroupPolicy",
)
LIMIT: Final = "a document names the actions that it allows, and on what"
SHOWN: Final = 5


def _breaches(subject: StackContext) -> Iterator[Breach]:
    unread: list[Resource] = []
    for resource in subject.of_types(DOCUMENTS):
        try:
            yield from _document(resource, Properties(resource.inputs).at("policy"))
        except UnreadableError:
            unread.append(resource)
    if unread:
        names = ", ".join(one.name for one in unread[:SHOWN]) + (", ..." if len(unread) > SHOWN else "")
        yield Breach(
            verdict=Verdict.CANNOT_TELL,
            given=f"{len(unread)} policy documents are known only after creation ({names})",
            limit=LIMIT,
            fix="Run atoll watch on the running stack, which reads them",
        )


def _document(resource: Resource, at: Properties) -> Iterator[Breach]:
    statements = _read(at).at("Statement")
    found = (statements,) if isinstance(statements.value, dict) else statements.each()
    if not found:
        raise UnreadableError(f"{at.path} has no statement", path=at.path)
    for statement in found:
        if statement.at("Effect").text() != "Deny" and _everything(statement):
            fix = "Name the actions, and the resources that they are allowed on"
            yield over(resource, at.path, given="it allows every action of a service or all", limit=LIMIT, fix=fix)


def _read(at: Properties) -> Properties:
    """The document, which is JSON.

    Raises:
        UnreadableError: unknown, secret, or no JSON.
    """
    try:
        return Properties(parse_json(at.text(), file=at.path), at.path)
    except InputError:
        raise UnreadableError(f"{at.path} is no JSON", path=at.path) from None


def _everything(statement: Properties) -> bool:
    """Whether a statement allows all actions, all of a service on anything, or all but some."""
    if any(statement.at(name).said for name in ("NotAction", "NotResource")):
        return True
    actions, resources = _texts(statement.at("Action")), _texts(statement.at("Resource"))
    return "*" in actions or ("*" in resources and any(action.endswith(":*") for action in actions))


def _texts(at: Properties) -> tuple[str, ...]:
    """One text, or a list of them."""
    return tuple(one.text() for one in at.each()) if isinstance(at.value, list) else (at.text(),)


RULE: Final = Rule(
    name="rights",
    title="Rights",
    demand="No policy document allows every action, or every action of a service on every resource.",
    why="A role that may do everything is the account's owner under another name.",
    remedy="Name the actions and the resources; ask atoll watch about what is known only after creation.",
    severity=Severity.HIGH,
    judge=_breaches,
    unknown=Level.ADVISORY,
)
