from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import pulumi
import pytest
import specs
from look import at, of_type, one
from platform_samples import spec_with

from catalogs.software.model import InstallationKind
from catalogs.software.reader import software
from components.stack.targets import build
from operations.offline.program import OfflineRun, run
from planning.costs.resources.resource import UnknownValue
from planning.platform.base_layer_software import list_base_layer_software

if TYPE_CHECKING:
    from collections.abc import Callable

    from planning.costs.resources.resource import Resource
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

RELEASE = "kubernetes:helm.sh/v3:Release"
ELASTIC = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
GROUP = "aws:eks/nodeGroup:NodeGroup"


def below(found: OfflineRun, resource: Resource) -> set[str]:
    """URNs of everything that a resource waits for, by way of its parents and of what they contain."""
    parents = {each.urn: each.parent for each in found.resources}
    direct = {each.urn: set(each.dependencies) for each in found.resources}
    children: dict[str, set[str]] = {}
    for each in found.resources:
        if each.parent:
            children.setdefault(each.parent, set()).add(each.urn)
    todo, seen = [resource.urn], set[str]()
    while todo:
        urn = todo.pop()
        above = parents.get(urn)
        reached = direct.get(urn, set()) | (direct.get(above, set()) if above else set())
        new = (reached | {child for each in reached for child in children.get(each, ())}) - seen
        seen |= new
        todo += new
    return seen


def with_ceiling(spec: ClusterSpec, usd: Decimal | None) -> OfflineRun:
    def program() -> None:
        for name, value in build((spec,), ceiling=usd).items():
            pulumi.export(name, value)

    return run("sample", program=program)


def with_domain(domain: str) -> ClusterSpec:
    spec = specs.aws_cluster()
    return spec.model_copy(update={"network": spec.network.model_copy(update={"domain": domain})})


def test_destroy_takes_pools_then_classes_then_karpenter_then_the_nodes_under_it(aws_run: OfflineRun) -> None:
    pool = one(aws_run, ELASTIC, "nodes-serve")
    made_of, karpenter = one(aws_run, CLASS, "nodes-serve"), one(aws_run, RELEASE, "karpenter")
    definitions, system = one(aws_run, RELEASE, "karpenter-crd"), one(aws_run, GROUP, "nodes-system")
    assert made_of.urn in below(aws_run, pool)
    assert {karpenter.urn, definitions.urn} <= below(aws_run, made_of)
    assert definitions.urn in below(aws_run, karpenter)
    assert system.urn in below(aws_run, karpenter)


def test_what_makes_load_balancers_and_volumes_outlives_them(aws_run: OfflineRun) -> None:
    controllers = {
        one(aws_run, RELEASE, "aws-load-balancer-controller").urn,
        one(aws_run, "aws:eks/addon:Addon", "aws-ebs-csi-driver").urn,
    }
    for namespace in of_type(aws_run, "kubernetes:core/v1:Namespace"):
        assert controllers <= below(aws_run, namespace), namespace.name


def test_what_acts_by_a_role_has_its_rights_from_first_to_last(aws_run: OfflineRun) -> None:
    attached = {each.name: each.urn for each in of_type(aws_run, "aws:iam/rolePolicyAttachment:RolePolicyAttachment")}
    cluster = one(aws_run, "aws:eks/cluster:Cluster", "cluster")
    assert attached["control-plane-AmazonEKSClusterPolicy"] in below(aws_run, cluster)
    of_nodes = {urn for name, urn in attached.items() if name.startswith("node-")}
    assert len(of_nodes) == 3
    for group in of_type(aws_run, GROUP):
        assert of_nodes <= below(aws_run, group)
    for addon, policy in (("vpc-cni", "AmazonEKS_CNI_Policy"), ("aws-ebs-csi-driver", "AmazonEBSCSIDriverPolicy")):
        assert attached[f"{addon}-{policy}"] in set(one(aws_run, "aws:eks/addon:Addon", addon).dependencies)


def test_a_trail_starts_when_its_bucket_lets_it_write(aws_run: OfflineRun) -> None:
    policy = one(aws_run, "aws:s3/bucketPolicy:BucketPolicy", "audit")
    assert policy.urn in one(aws_run, "aws:cloudtrail/trail:Trail", "audit").dependencies


def test_who_puts_things_into_the_cluster_may_do_so_until_all_of_them_are_gone(aws_ways_run: OfflineRun) -> None:
    inside = below(aws_ways_run, one(aws_ways_run, "pulumi:providers:kubernetes", "cluster"))
    assert one(aws_ways_run, "aws:eks/accessPolicyAssociation:AccessPolicyAssociation", "admin").urn in inside
    assert one(aws_ways_run, "aws:ec2/instance:Instance", "gateway").urn in inside
    assert (
        one(aws_ways_run, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "from-gateway-api").urn in inside
    )


def test_charts_are_pinned_and_run_on_the_system_nodes(aws_run: OfflineRun) -> None:
    devices = {"nvidia-device-plugin", "aws-efa-k8s-device-plugin"}
    versions = {each.name: each.inputs["version"] for each in of_type(aws_run, RELEASE) if each.name not in devices}
    assert versions == {"karpenter": "1.14.1", "karpenter-crd": "1.14.1", "aws-load-balancer-controller": "3.5.0"}
    for name in ("karpenter", "aws-load-balancer-controller"):
        assert at(one(aws_run, RELEASE, name), "values", "nodeSelector", "atoll/role") == "system"
    assert at(one(aws_run, RELEASE, "karpenter"), "values", "settings", "featureGates") == {"nodeRepair": True}


def test_what_is_beneath_the_platform_comes_from_the_catalog_and_from_the_mirror_of_the_platform(
    run_spec: RunSpec,
) -> None:
    spec = specs.aws_cluster()
    mirrored = spec_with(spec, platform={"mirror": "oci://mirror.example/atoll"})
    found = run_spec(mirrored)
    wanted = {part.chart: part for part in list_base_layer_software([mirrored]) if part.kind is InstallationKind.CHART}
    assert set(wanted) == {"karpenter", "karpenter-crd", "aws-load-balancer-controller"}
    for name, part in wanted.items():
        release = one(found, RELEASE, name)
        assert release.inputs["chart"] == f"oci://mirror.example/atoll/{name}"
        assert (release.inputs["version"], release.inputs["namespace"]) == (part.version, part.namespace)
    controller = at(one(found, RELEASE, "karpenter"), "values", "controller", "image", "repository")
    assert controller == "mirror.example/atoll/public.ecr.aws/karpenter/controller"
    job = at(one(found, "kubernetes:batch/v1:Job", "open-shared"), "spec", "template", "spec", "containers", 0)
    assert job["image"] == "mirror.example/atoll/public.ecr.aws/docker/library/busybox:1.37.0"  # type: ignore[index]


def test_a_cluster_whose_nodes_all_stay_has_no_karpenter_beneath_its_platform() -> None:
    names = {part.name for part in list_base_layer_software([specs.aws_cluster(pools=(specs.system_pool(),))])}
    assert names == {"ways_in", "aws_load_balancer_controller"}
    assert {part.name for part in list_base_layer_software([specs.existing_cluster()])} == {"ways_in"}


def test_what_karpenter_asks_for_is_its_footprint(aws_run: OfflineRun) -> None:
    asked = at(one(aws_run, RELEASE, "karpenter"), "values", "controller", "resources", "requests")
    row = software()["karpenter"]
    assert asked == {"cpu": "500m", "memory": "1Gi"}  # the chart's two copies
    assert (row.cpu_millicores, row.memory_mib) == (2 * 500, 2 * 1024)
    asked = at(one(aws_run, RELEASE, "aws-load-balancer-controller"), "values", "resources", "requests")
    row = software()["aws_load_balancer_controller"]
    assert asked == {"cpu": "50m", "memory": "128Mi"}  # two copies too
    assert (row.cpu_millicores, row.memory_mib) == (2 * 50, 2 * 128)


def test_the_nodes_that_karpenter_starts_are_let_in(aws_run: OfflineRun) -> None:
    entry = one(aws_run, "aws:eks/accessEntry:AccessEntry", "node")
    assert (entry.inputs["type"], entry.inputs["principalArn"].output) == ("EC2_LINUX", "arn")
    for made_of in of_type(aws_run, CLASS):
        assert entry.urn in below(aws_run, made_of)


def test_every_controller_takes_its_role_by_pod_identity(aws_run: OfflineRun) -> None:
    taken = {
        (each.inputs["namespace"], each.inputs["serviceAccount"])
        for each in of_type(aws_run, "aws:eks/podIdentityAssociation:PodIdentityAssociation")
    }
    assert {("kube-system", "karpenter"), ("kube-system", "aws-load-balancer-controller")} <= taken
    for release in of_type(aws_run, RELEASE):
        account = release.inputs.get("values", {}).get("serviceAccount", {})
        assert "annotations" not in account


def test_karpenter_may_start_and_end_machines_of_its_own_cluster_only(aws_run: OfflineRun) -> None:
    policy = json.loads(one(aws_run, "aws:iam/rolePolicy:RolePolicy", "karpenter-machines").inputs["policy"])
    by_id = {statement["Sid"]: statement for statement in policy["Statement"]}
    owned = "aws:ResourceTag/kubernetes.io/cluster/atoll-sample"
    assert by_id["End"]["Condition"]["StringEquals"][owned] == "owned"
    assert "aws:RequestTag/kubernetes.io/cluster/atoll-sample" in by_id["Start"]["Condition"]["StringEquals"]
    assert not [statement for statement in policy["Statement"] if statement["Resource"] == "*"]


def test_karpenter_hears_of_interruptions_over_an_encrypted_queue(aws_run: OfflineRun) -> None:
    queue = one(aws_run, "aws:sqs/queue:Queue", "interruptions")
    assert queue.inputs["kmsMasterKeyId"] == UnknownValue(urn=one(aws_run, "aws:kms/key:Key", "key").urn, output="arn")
    targets = of_type(aws_run, "aws:cloudwatch/eventTarget:EventTarget")
    assert {target.name for target in targets} == {"health", "spot", "rebalance", "state", "reservation"}
    assert all(target.inputs["arn"] == UnknownValue(urn=queue.urn, output="arn") for target in targets)


def test_a_cluster_whose_nodes_all_stay_needs_no_karpenter(run_spec: RunSpec) -> None:
    found = run_spec(specs.aws_cluster(pools=(specs.system_pool(),)))
    assert [release.name for release in of_type(found, RELEASE)] == ["aws-load-balancer-controller"]


def test_the_account_is_audited_into_a_shut_bucket_that_outlives_the_cluster(aws_run: OfflineRun) -> None:
    trail = one(aws_run, "aws:cloudtrail/trail:Trail", "audit")
    assert (trail.inputs["enableLogFileValidation"], trail.inputs["isMultiRegionTrail"]) == (True, True)
    assert trail.inputs["kmsKeyId"].output == "arn"
    bucket = one(aws_run, "aws:s3/bucket:Bucket", "audit")
    assert (bucket.protect, bucket.retain_on_delete) == (True, True)


def test_an_account_gets_one_trail_however_many_clusters_the_stack_has_in_it(spanning_run: OfflineRun) -> None:
    assert [each.name for each in of_type(spanning_run, "aws:cloudtrail/trail:Trail")] == ["audit"]


def test_the_warm_tier_shows_the_cold_bucket_and_each_workload_has_a_volume_of_it(aws_run: OfflineRun) -> None:
    link = one(aws_run, "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation", "shared-link")
    assert link.inputs["fileSystemPath"] == "/cold"
    assert at(link, "s3", "autoExportPolicy", "events") == ["NEW", "CHANGED", "DELETED"]
    volumes = of_type(aws_run, "kubernetes:core/v1:PersistentVolume")
    claims = {at(volume, "spec", "claimRef", "namespace") for volume in volumes}
    assert claims == {"work-train", "work-burst", "work-serve", "atoll-system"}
    assert {at(volume, "spec", "csi", "driver") for volume in volumes} == {"fsx.csi.aws.com"}
    mine = of_type(aws_run, "kubernetes:core/v1:PersistentVolumeClaim")
    assert {at(each, "metadata", "name") for each in mine} == {"shared"}
    assert {at(each, "spec", "volumeName") for each in mine} == {
        "shared-train",
        "shared-burst",
        "shared-serve",
        "shared-atoll-system",
    }


def test_root_opens_the_warm_tier_to_pods_that_are_not(aws_run: OfflineRun) -> None:
    job = one(aws_run, "kubernetes:batch/v1:Job", "open-shared")
    assert at(job, "metadata", "namespace") == "atoll-system"
    pod = at(job, "spec", "template", "spec")
    (container,) = pod["containers"]
    assert container["command"] == ["chmod", "1777", "/volume"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "aws-fsx-csi-driver" in {addon.name for addon in of_type(aws_run, "aws:eks/addon:Addon")}


def test_a_plain_shared_disk_is_an_encrypted_efs_in_every_zone(aws_disk_run: OfflineRun) -> None:
    found = aws_disk_run
    files = one(found, "aws:efs/fileSystem:FileSystem", "shared-disk")
    assert (files.inputs["encrypted"], files.protect, files.retain_on_delete) == (True, True, True)
    assert len(of_type(found, "aws:efs/mountTarget:MountTarget")) == 3
    assert at(one(found, "kubernetes:storage.k8s.io/v1:StorageClass", "atoll-cold"), "provisioner") == "efs.csi.aws.com"
    assert differences_of(found, specs.aws_cluster(storage=(specs.COLD_DISK,))) == ()


def test_a_domain_is_a_zone_with_a_certificate_on_both_sides_of_the_money(run_spec: RunSpec) -> None:
    spec = with_domain("ml.acme.example")
    found = run_spec(spec)
    assert one(found, "aws:route53/zone:Zone", "zone").inputs["name"] == "ml.acme.example"
    certificate = one(found, "aws:acm/certificate:Certificate", "services")
    assert certificate.inputs["subjectAlternativeNames"] == ["*.ml.acme.example"]
    assert differences_of(found, spec) == ()


def differences_of(found: OfflineRun, spec: ClusterSpec) -> tuple[object, ...]:
    from catalogs.catalog import load
    from operations.plans.plan import differences
    from operations.plans.price_book import as_book
    from planning.costs.resources.stack_cost import price_resources
    from planning.quoting.candidates.market import Market
    from planning.quoting.option import bill

    catalog = load()
    return differences(bill(spec, Market(catalog)), price_resources(found.resources, catalog=as_book(catalog)).bill)


def test_a_ceiling_is_watched_and_stops_new_machines() -> None:
    found = with_ceiling(specs.aws_cluster(), Decimal(40000))
    budget = one(found, "aws:budgets/budget:Budget", "ceiling")
    assert (budget.inputs["limitAmount"], budget.inputs["limitUnit"]) == ("40000", "USD")
    assert at(budget, "costFilters", 0, "values") == ["user:atoll:stack$sample"]
    heard = {address for each in budget.inputs["notifications"] for address in each["subscriberEmailAddresses"]}
    assert heard == {"ml@acme.example"}
    action = one(found, "aws:budgets/budgetAction:BudgetAction", "stop")
    assert action.inputs["actionType"] == "APPLY_IAM_POLICY"
    denied = json.loads(one(found, "aws:iam/policy:Policy", "no-new-machines").inputs["policy"])["Statement"][0]
    assert (denied["Effect"], denied["Action"]) == ("Deny", ["ec2:RunInstances", "ec2:CreateFleet"])


def test_without_a_ceiling_there_is_no_budget(aws_run: OfflineRun) -> None:
    assert not [each for each in aws_run.resources if each.type.startswith("aws:budgets/")]


@pytest.mark.parametrize("name", ["aws-ebs-csi-driver"])
def test_disks_that_claims_make_carry_the_stack_s_tags(aws_run: OfflineRun, name: str) -> None:
    values = json.loads(one(aws_run, "aws:eks/addon:Addon", name).inputs["configurationValues"])
    assert values["controller"]["extraVolumeTags"]["atoll:stack"] == "sample"


def test_broken_gpus_are_seen_on_tainted_nodes_too(aws_run: OfflineRun) -> None:
    agent = one(aws_run, "aws:eks/addon:Addon", "eks-node-monitoring-agent")
    values = json.loads(agent.inputs["configurationValues"])
    assert values["dcgmAgent"]["tolerations"] == [{"operator": "Exists"}]


def test_spot_with_a_reservation_is_refused() -> None:
    from components.clouds.aws.nodepools.karpenter import register_elastic_pool
    from components.clouds.aws.nodepools.launch_template import PoolNodes
    from planning.values.errors import InputError

    nodes = PoolNodes(
        pool=specs.POOLS[3],
        here=None,  # type: ignore[arg-type]
        shown="x",
        subnets=(),
        reservation="cr-1",
        fabric=None,
        close=None,
    )
    with pytest.raises(InputError, match="bought as spot"):
        register_elastic_pool("x", nodes, inside=None, parent=None)  # type: ignore[arg-type]


def test_from_outside_the_network_nothing_is_put_into_the_cluster() -> None:
    def program() -> None:
        pulumi.runtime.set_config("atoll:reach", "cloud")
        build((specs.aws_cluster(),))

    found = run("sample", program=program)
    assert not [each.urn for each in found.resources if each.type.startswith("kubernetes:")]
    assert {group.name for group in of_type(found, GROUP)} == {"nodes-system", "nodes-train"}


def test_an_account_with_a_trail_gets_no_second_one() -> None:
    def program() -> None:
        pulumi.runtime.set_config("atoll:auditTrail", "false")
        build((specs.aws_cluster(),))

    found = run("sample", program=program)
    assert not [each for each in found.resources if each.type.startswith("aws:cloudtrail/") or each.name == "audit"]
