"""The checklist's people: who they are, where they sign in, which teams they are in."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from planning.checklist.model.units import Flag, Number, Whole
from planning.checklist.model.workload import ChecklistModel, DemandName, Name

Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$")]


class SingleSignOn(ChecklistModel):
    """Where people sign in already. Its client secret is a secret of the stack, never of the checklist."""

    provider: Literal["google", "okta", "entra", "github", "oidc"]
    """Who knows the people; "oidc" for any other OpenID Connect provider."""
    client_id: str = Field(min_length=1)
    """Id under which Atoll is registered there."""
    issuer: str | None = None
    """Address of the issuer: of Okta and of any other OpenID Connect provider."""
    tenant: str | None = None
    """Tenant at Microsoft Entra."""
    organisation: str | None = None
    """Organisation at GitHub, or domain at Google, whose members alone get in."""


class Team(ChecklistModel):
    """People who share namespaces, a bucket and a part of the accelerators."""

    name: Name
    """Short name; it becomes a queue, a bucket and a tag of the budget."""
    group: str | None = Field(default=None, min_length=1)
    """Group at the customer's identity provider whose members are in the team."""
    workloads: tuple[Name, ...] = ()
    """Workloads whose namespaces it works in; empty for all."""
    usd_per_month: Number | None = Field(default=None, gt=0)
    """Its part of the money: accelerators are guaranteed in this proportion."""
    accelerators: Whole | None = Field(default=None, ge=0)
    """Accelerators it is guaranteed; what it does not use is lent to the others."""


class User(ChecklistModel):
    """One person with access."""

    name: Name
    """Login name."""
    email: Email
    """Identity at the customer's OIDC provider."""
    group: Literal["admin", "engineer", "viewer"] = "engineer"
    """What they may do."""
    workloads: tuple[DemandName, ...] = ()
    """Workloads whose namespaces they work in; empty for all, or for all of their team's."""
    team: Name | None = None
    """Team they are in, by name; none for all teams."""
    ssh_key: str | None = Field(default=None, pattern=r"^(ssh-ed25519|ecdsa-sha2-nistp256|ssh-rsa) \S+( .*)?$")
    """Public key for SSH to nodes."""


class Access(ChecklistModel):
    """How people get in."""

    vpn: Flag = True
    """WireGuard profiles."""
    ssh: Flag = False
    """SSH to nodes that are not control plane, through the VPN."""
    users: tuple[User, ...] = ()
    """Who."""
    sso: SingleSignOn | None = None
    """Where they sign in; none for accounts of the cluster's own, one for each user, with generated passwords."""
