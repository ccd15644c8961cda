from __future__ import annotations

from dataclasses import replace

from lock_kit import with_law
from policy_kit import Breaking, changed, sound

from planning.costs.resources.resource import UNKNOWN
from policies.rules.placement.places import PlaceSettings
from policies.stack_context import StackContext

GROUP = "aws:ec2/securityGroup:SecurityGroup"


def anywhere() -> StackContext:
    """The example without a word on where data may lie."""
    return replace(sound(), lock=sound().lock.model_copy(update={"residency": "any"}))


CASES: tuple[Breaking, ...] = (
    Breaking(
        what="a security group in a region of its own",
        stack=lambda: changed(anywhere(), GROUP, {"region": "eu-west-1"}),
    ),
    Breaking(
        what="a region that is known only later",
        stack=lambda: changed(anywhere(), GROUP, {"region": UNKNOWN}),
        unclear=True,
    ),
    Breaking(
        what="a subnet of Google Cloud in another region",
        stack=lambda: changed(sound("gcp"), "gcp:compute/subnetwork:Subnetwork", {"region": "europe-west4"}),
    ),
    Breaking(
        what="a network of CoreWeave in another region's zone",
        stack=lambda: changed(
            sound("coreweave"), "coreweave:index/networkingVpc:NetworkingVpc", {"zone": "EU-SOUTH-04A"}
        ),
    ),
    Breaking(
        what="a provider that the project does not allow",
        stack=lambda: with_law(sound(), PlaceSettings(providers=("gcp",))),
    ),
    Breaking(
        what="a region that the project does not allow",
        stack=lambda: with_law(sound(), PlaceSettings(regions=("eu-central-1", "eu-west-1"))),
    ),
)
