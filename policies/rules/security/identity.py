"""Identities and rights: of machines and pods, logins and keys, admins, and policy documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from pydantic import Field

from planning.costs.resources.resource import Properties, UnreadableError
from planning.inputs.files import parse_json
from planning.values.errors import InputError
from planning.values.verdict import Verdict
from policies.properties import check_resources, over, walk
from policies.rule import Breach, Rule, Severity
from policies.rules.security.resource_origins import is_owned_by, origins, sources
from policies.settings import Level, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.resource import Resource
    from policies.stack_context import StackContext

# Settings of a machine's metadata service: type, path.
METADATA: Final = (
    ("aws:ec2/launchTemplate:LaunchTemplate", "metadataOptions"),
    ("aws:ec2/instance:Instance", "metadataOptions"),
    ("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "spec.metadataOptions"),
)
GKE: Final = "gcp:container/cluster:Cluster"
GKE_NODES: Final = (GKE, "gcp:container/nodePool:NodePool")
ACCOUNT: Final = "gcp:serviceaccount/account:Account"
# Service account of a machine: type, path.
ACCOUNTS: Final = (
    (GKE, "nodeConfig.serviceAccount"),
    ("gcp:container/nodePool:NodePool", "nodeConfig.serviceAccount"),
    ("gcp:compute/instance:Instance", "serviceAccount.email"),
)
STATIC: Final = (
    "aws:iam/accessKey:AccessKey",
    "aws:iam/user:User",
    "aws:iam/userLoginProfile:UserLoginProfile",
    "gcp:serviceaccount/key:Key",
    "gcp:storage/hmacKey:HmacKey",
)
ASSOCIATION: Final = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
CLUSTER: Final = ("atoll:cluster:Cluster",)  # creates the one admin role, for the users that the checklist names
ATTACHED: Final = (
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
)
OWN_POLICY: Final = "aws:iam/policy:Policy"
ADMIN_POLICIES: Final = ("AdministratorAccess", "PowerUserAccess", "IAMFullAccess")
GIVEN: Final = ("gcp:projects/iAMMember:IAMMember", "gcp:projects/iAMBinding:IAMBinding")
BASIC: Final = ("roles/owner", "roles/editor")
BINDINGS: Final = (
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding",
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
)
ROLES: Final = ("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "kubernetes:rbac.authorization.k8s.io/v1:Role")
CONFIG_MAP: Final = "kubernetes:core/v1:ConfigMap"
LIMIT: Final = "credentials are short-lived and serve one purpose"


class Identities(Settings):
    metadata_hops: int = Field(default=1, ge=1, le=2)
    """Highest hop limit of a machine's metadata service; with 2, its pods can use the machine's rights."""
    sign_in_namespace: str = "auth"
    """Namespace of Dex, whose config maps may hold no static passwords."""


def _judge_identity(subject: StackContext) -> Iterator[Breach]:
    settings = subject.law.get(Identities)
    yield from _machines(subject, settings)
    for resource in subject.of_types(STATIC):
        fix = "Give the pod or the person a role instead"
        yield over(resource, "", given="it is a login or a key that never expires", limit=LIMIT, fix=fix)
    yield from _admins(subject)

    def signing_in(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        if inputs.at("metadata").at("namespace").text("default") == settings.sign_in_namespace:
            yield from _static_users(resource, inputs.at("data"))

    yield from check_resources(subject.of_types((CONFIG_MAP,)), signing_in, limit=LIMIT)


def _machines(subject: StackContext, settings: Identities) -> Iterator[Breach]:
    for token, path in METADATA:

        def metadata(resource: Resource, inputs: Properties, path: str = path) -> Iterator[Breach]:
            for options in walk(inputs, path):
                yield from _metadata(resource, options, settings)

        yield from check_resources(subject.of_types((token,)), metadata, limit=LIMIT)
    for token, path in ACCOUNTS:

        def account(resource: Resource, inputs: Properties, path: str = path) -> Iterator[Breach]:
            for at in walk(inputs, path):
                yield from _account(subject, resource, at)

        yield from check_resources(subject.of_types((token,)), account, limit=LIMIT)
    yield from check_resources(subject.of_types(GKE_NODES), _workload_identity, limit=LIMIT)
    yield from check_resources(subject.of_types((GKE,)), _strangers, limit=LIMIT)


def _metadata(resource: Resource, options: Properties, settings: Identities) -> Iterator[Breach]:
    tokens, hops = options.at("httpTokens"), options.at("httpPutResponseHopLimit")
    if tokens.text("optional") != "required":
        given = "its metadata service answers without a token (IMDSv1)"
        yield over(resource, tokens.path, given=given, limit=LIMIT, fix=f"Set {tokens.path} to required")
    most = settings.metadata_hops
    if hops.number(most + 1) > most:
        given = f"its hop limit is above {most}, so its pods can use the rights of the machine"
        yield over(resource, hops.path, given=given, limit=LIMIT, fix=f"Set {hops.path} to {most}")


def _account(subject: StackContext, resource: Resource, at: Properties) -> Iterator[Breach]:
    top = at.path.partition(".")[0]
    if any(one.type == ACCOUNT for one in origins(subject, resource, at.value, name=top)):
        return
    name = at.text("")
    if name in ("", "default") or name.endswith("-compute@developer.gserviceaccount.com"):
        given = "it runs with the project's default account, which may edit the project"
        yield over(resource, at.path, given=given, limit=LIMIT, fix="Give it an account of its own")


def _workload_identity(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    # GKE refuses this mode on a cluster without workload identity, so it proves that too.
    at = inputs.at("nodeConfig").at("workloadMetadataConfig").at("mode")
    if at.text("") != "GKE_METADATA":
        fix = f"Set {at.path} to GKE_METADATA"
        yield over(resource, at.path, given="its pods have the rights of the machine", limit=LIMIT, fix=fix)


def _strangers(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for path in (
        "enableLegacyAbac",
        "masterAuth.clientCertificateConfig.issueClientCertificate",
        "rbacBindingConfig.enableInsecureBindingSystemUnauthenticated",
        "rbacBindingConfig.enableInsecureBindingSystemAuthenticated",
    ):
        for at in walk(inputs, path):
            if at.flag(default=False):
                given = "it grants rights to users who are not named"
                yield over(resource, path, given=given, limit=LIMIT, fix=f"Set {path} to false")


def _admins(subject: StackContext) -> Iterator[Breach]:
    def association(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        principal = inputs.at("principalArn")
        found = tuple(sources(subject, resource, principal.value, name="principalArn"))
        if found and all(is_owned_by(subject, one, CLUSTER) for one in found):
            return
        if inputs.at("policyArn").text().endswith(("AmazonEKSClusterAdminPolicy", "AmazonEKSAdminPolicy")):
            principal.text()
            yield _admin(resource, "principalArn")

    def check_attachment(resource: Resource, inputs: Properties) -> Iterator[Breach]:
        at = inputs.at("policyArn")
        own = any(one.type == OWN_POLICY for one in origins(subject, resource, at.value, name="policyArn"))
        if not own and at.text().rpartition("/")[2] in ADMIN_POLICIES:
            yield _admin(resource, at.path)

    yield from check_resources(subject.of_types((ASSOCIATION,)), association, limit=LIMIT)
    yield from check_resources(subject.of_types(ATTACHED), check_attachment, limit=LIMIT)
    yield from check_resources(subject.of_types(GIVEN), _basic, limit=LIMIT)
    yield from check_resources(subject.of_types(BINDINGS), _check_binding, limit=LIMIT)
    yield from check_resources(subject.of_types(ROLES), _everything, limit=LIMIT)


def _admin(resource: Resource, path: str) -> Breach:
    fix = "Give only the rights that it needs; admins are named in access of the checklist"
    return over(resource, path, given="it creates an admin that the checklist does not name", limit=LIMIT, fix=fix)


def _basic(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    if inputs.at("role").text() in BASIC:
        yield _admin(resource, "role")


def _check_binding(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    at = inputs.at("roleRef").at("name")
    if at.text() == "cluster-admin":
        yield _admin(resource, at.path)


def _everything(resource: Resource, inputs: Properties) -> Iterator[Breach]:
    for rule in inputs.at("rules").each():
        granted = [rule.at(name).each() for name in ("apiGroups", "resources", "verbs")]
        if all(any(at.text() == "*" for at in found) for found in granted):
            yield _admin(resource, rule.path)


def _static_users(resource: Resource, contents: Properties) -> Iterator[Breach]:
    if not isinstance(contents.value, Mapping):
        contents.text("")  # unknown or secret: says so
        return
    for name in cast("Mapping[str, object]", contents.value):
        if "staticPasswords" in contents.at(name).text():
            given = "everyone in the namespace can read a static password"
            fix = "Let people sign in at the identity provider, or keep generated passwords in a Secret"
            yield over(resource, "data", given=given, limit=LIMIT, fix=fix)


IDENTITY: Final = Rule(
    name="identity",
    title="Identity",
    demand="Pods cannot use the rights of machines, every key expires, and only declared users are admins.",
    why="A compromised pod or a leaked key gives access to nothing else.",
    remedy="Require metadata tokens, use workload identity and roles, and name admins in the checklist.",
    severity=Severity.HIGH,
    judge=_judge_identity,
    settings=Identities,
)


DOCUMENTS: Final = (
    "aws:iam/policy:Policy",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/userPolicy:UserPolicy",
    "aws:iam/groupPolicy:GroupPolicy",
)
NAMED_ACTIONS: Final = "a policy document names the actions that it allows, and their resources"
SHOWN: Final = 5


def _judge_rights(subject: StackContext) -> Iterator[Breach]:
    unread: list[Resource] = []
    for resource in subject.of_types(DOCUMENTS):
        try:
            yield from _document(resource, Properties(resource.inputs).at("policy"))
        except UnreadableError:
            unread.append(resource)
    if unread:
        names = ", ".join(one.name for one in unread[:SHOWN]) + (", ..." if len(unread) > SHOWN else "")
        yield Breach(
            verdict=Verdict.UNDETERMINED,
            given=f"{len(unread)} policy documents are known only after creation ({names})",
            limit=NAMED_ACTIONS,
            fix="Run atoll watch on the running stack, which reads them",
        )


def _document(resource: Resource, at: Properties) -> Iterator[Breach]:
    statements = _read(at).at("Statement")
    found = (statements,) if isinstance(statements.value, dict) else statements.each()
    if not found:
        raise UnreadableError(f"{at.path} has no statement", path=at.path)
    for statement in found:
        if statement.at("Effect").text() != "Deny" and _allows_everything(statement):
            fix = "Name the actions, and the resources that they are allowed on"
            yield over(
                resource, at.path, given="it allows all actions, or all of a service", limit=NAMED_ACTIONS, fix=fix
            )


def _read(at: Properties) -> Properties:
    """The document as properties.

    Raises:
        UnreadableError: unknown, secret, or no JSON.
    """
    try:
        return Properties(parse_json(at.text(), file=at.path), at.path)
    except InputError:
        raise UnreadableError(f"{at.path} is no JSON", path=at.path) from None


def _allows_everything(statement: Properties) -> bool:
    """Whether a statement allows all actions, all of a service on anything, or all but some."""
    if any(statement.at(name).said for name in ("NotAction", "NotResource")):
        return True
    actions, resources = _texts(statement.at("Action")), _texts(statement.at("Resource"))
    return "*" in actions or ("*" in resources and any(action.endswith(":*") for action in actions))


def _texts(at: Properties) -> tuple[str, ...]:
    """One text, or a list of them."""
    return tuple(one.text() for one in at.each()) if isinstance(at.value, list) else (at.text(),)


RIGHTS: Final = Rule(
    name="rights",
    title="Rights",
    demand="No policy document allows every action, or every action of a service on every resource.",
    why="A role that may do everything has the power of the account's owner.",
    remedy="Name the actions and the resources; atoll watch reads documents that are known only after creation.",
    severity=Severity.HIGH,
    judge=_judge_rights,
    unknown=Level.ADVISORY,
)
