"""Logs and metrics reach the cluster's own cloud by the identity of the collector, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import specs
import specs_gcp
from look import at, of_type, one
from platform_samples import checklist, spec_with

from components.clouds.aws.account.logs import ACTIONS
from components.context.placement import ChargeLedger, PlacementContext
from components.context.settings import read_settings
from components.platform.building_blocks.names import build_log_group_names
from components.stack.targets import BUILDERS
from operations.offline.program import OfflineRun, run
from planning.costs.charges import list_declared_charges
from planning.platform.log_forwarding import access_said, by_identity
from planning.quoting.assembly.platform import forwarding_notice
from planning.spec.platform import Forwarding

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
MEMBER = "gcp:projects/iAMMember:IAMMember"


def main_cloud(provider: str, **fields: Any) -> dict[str, Any]:
    return {"main_cloud": {"provider": provider, "region": "us-east-1", "logs_and_metrics": True, **fields}}


def built(base: ClusterSpec, **changes: Any) -> OfflineRun:
    spec = spec_with(base, **changes)

    def program() -> None:
        BUILDERS[spec.placement.target](
            PlacementContext(spec=spec, ledger=ChargeLedger(list_declared_charges(spec)), settings=read_settings())
        )

    return run("sample", program=program)


def test_on_aws_the_collector_takes_a_role_that_writes_to_its_own_log_groups() -> None:
    found = built(specs.aws_cluster(), **main_cloud("aws"))
    taken = one(found, ASSOCIATION, "forwarding")
    assert (at(taken, "namespace"), at(taken, "serviceAccount")) == ("observability", "collector")
    assert one(found, "aws:iam/rolePolicy:RolePolicy", "forwarding-logs")
    assert {each.partition(":")[0] for each in ACTIONS} == {"logs"}
    assert set(build_log_group_names("acme").values()) == {"/atoll/acme", "/atoll/acme/metrics"}


def test_on_google_cloud_the_collectors_account_has_two_roles() -> None:
    found = built(specs_gcp.gcp_cluster(), **main_cloud("gcp"))
    assert {at(each, "role") for each in of_type(found, MEMBER) if each.name.startswith("forwarding")} == {
        "roles/logging.logWriter",
        "roles/monitoring.metricWriter",
    }


@pytest.mark.parametrize(("base", "token"), [(specs.aws_cluster, ASSOCIATION), (specs_gcp.gcp_cluster, MEMBER)])
def test_another_main_cloud_gives_no_role(base: Any, token: str) -> None:
    for provider in ("azure", ""):
        found = built(base(), **(main_cloud(provider) if provider else {}))
        assert not [each for each in of_type(found, token) if each.name.startswith("forwarding")]


def test_in_another_project_its_owner_gives_the_roles() -> None:
    found = built(specs_gcp.gcp_cluster(), **main_cloud("gcp", account="acme-core"))
    assert not [each for each in of_type(found, MEMBER) if each.name.startswith("forwarding")]


def test_a_quote_says_what_has_to_be_given() -> None:
    asked = checklist(**main_cloud("aws"))
    assert list(forwarding_notice(asked, target="aws")) == []
    (said,) = forwarding_notice(asked, target="gcp")
    assert "atoll:forwardingCredentials" in said
    assert list(forwarding_notice(checklist(), target="existing")) == []


def test_a_named_account_may_be_another_than_the_clusters() -> None:
    to = Forwarding(provider="aws", region="eu-west-1", account="111122223333")
    assert by_identity(to, target="aws")
    assert "111122223333" in access_said(to, target="aws")
