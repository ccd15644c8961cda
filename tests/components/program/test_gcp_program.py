from __future__ import annotations

import json
from ipaddress import IPv4Network
from typing import TYPE_CHECKING, TypeAlias

import pulumi
import pytest
import specs_gcp
from look import at, of_type, one

from components.stack.targets import build
from operations.offline.program import run
from planning.costs.resources.resource import Secret, UnknownValue
from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable

    from operations.offline.program import OfflineRun
    from planning.spec.cluster import ClusterSpec

    RunSpec: TypeAlias = Callable[[ClusterSpec], OfflineRun]

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
BUCKET = "gcp:storage/bucket:Bucket"
KEY = "gcp:kms/cryptoKey:CryptoKey"
FIREWALL = "gcp:compute/firewall:Firewall"
PEERING = "gcp:compute/networkPeering:NetworkPeering"
STACK = {"atoll-customer": "acme", "atoll-stack": "sample", "atoll-owner": "ml_at_acme_example"}


def with_network(**changes: object) -> ClusterSpec:
    return specs_gcp.gcp_cluster(network=specs_gcp.network(**changes))


def test_every_gcp_resource_uses_the_labelling_provider_of_the_region(gcp_run: OfflineRun) -> None:
    provider = one(gcp_run, "pulumi:providers:gcp", "gcp")
    assert json.loads(at(provider, "defaultLabels")) == STACK
    assert at(provider, "region") == "us-central1"
    strays = [each.urn for each in gcp_run.resources if each.type.startswith("gcp:") and each.provider != provider.urn]
    assert not strays


def test_whatever_takes_labels_has_those_of_the_stack(gcp_run: OfflineRun) -> None:
    labelled = {"labels", "resourceLabels"}
    for token in (BUCKET, "gcp:lustre/instance:Instance", "gcp:dns/managedZone:ManagedZone", "gcp:pubsub/topic:Topic",
                  "gcp:compute/instance:Instance", "gcp:secretmanager/secret:Secret", CLUSTER):  # fmt: skip
        for resource in of_type(gcp_run, token):
            found = [value for name, value in resource.inputs.items() if name in labelled]
            assert found == [STACK], resource.urn


def test_machines_and_disks_carry_the_labels_of_stack_and_pool(gcp_run: OfflineRun) -> None:
    own = {"atoll-pool": "train", "atoll-role": "gpu", "atoll-workload": "train"}
    assert at(one(gcp_run, POOL, "nodes-train"), "nodeConfig", "resourceLabels") == {**STACK, **own}


def test_stateful_leaves_are_protected_and_kept(gcp_run: OfflineRun) -> None:
    for token in (BUCKET, KEY, "gcp:kms/keyRing:KeyRing", "gcp:lustre/instance:Instance"):
        for resource in of_type(gcp_run, token):
            assert resource.protect, resource.urn
            assert resource.retain_on_delete, resource.urn


def test_the_only_door_to_the_internet_is_the_gateway_of_the_vpn(gcp_run: OfflineRun) -> None:
    open_ = [rule for rule in of_type(gcp_run, FIREWALL) if "0.0.0.0/0" in at(rule, "sourceRanges")]
    (door,) = open_
    assert door.name == "gateway-wireguard"
    assert at(door, "allows") == [{"protocol": "udp", "ports": ["51820"]}]
    assert at(door, "targetTags") == ["atoll-gateway"]


def test_no_node_has_a_public_address(gcp_run: OfflineRun) -> None:
    assert at(one(gcp_run, CLUSTER, "cluster"), "privateClusterConfig", "enablePrivateNodes") is True
    for pool in of_type(gcp_run, POOL):
        assert at(pool, "networkConfig", "enablePrivateNodes") is True


def test_everything_that_rests_is_encrypted_with_the_one_key(gcp_run: OfflineRun) -> None:
    key = one(gcp_run, KEY, "key")
    id_ = UnknownValue(urn=key.urn, output="id")
    assert at(one(gcp_run, CLUSTER, "cluster"), "databaseEncryption") == {"state": "ENCRYPTED", "keyName": id_}
    for pool in of_type(gcp_run, POOL):
        assert at(pool, "nodeConfig", "bootDiskKmsKey") == id_
    for bucket in of_type(gcp_run, BUCKET):
        assert at(bucket, "encryption", "defaultKmsKeyName") == id_
    assert at(one(gcp_run, "gcp:lustre/instance:Instance", "shared"), "kmsKey") == id_
    assert at(one(gcp_run, "gcp:compute/instance:Instance", "gateway"), "bootDisk", "kmsKeySelfLink") == id_
    assert at(one(gcp_run, "gcp:pubsub/topic:Topic", "budget"), "kmsKeyName") == id_
    logs = one(gcp_run, "gcp:logging/projectBucketConfig:ProjectBucketConfig", "logs")
    assert at(logs, "cmekSettings", "kmsKeyName") == id_
    assert at(one(gcp_run, "kubernetes:storage.k8s.io/v1:StorageClass", "atoll-disk"), "parameters") == {
        "type": "hyperdisk-balanced",
        "disk-encryption-kms-key": id_,
    }


def test_whoever_encrypts_may_use_the_key_before_it_does(gcp_run: OfflineRun) -> None:
    granted = {each.name for each in of_type(gcp_run, "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember")}
    users = {"secrets", "disks", "buckets", "lustre", "secret", "topics", "logs"}
    assert granted == {f"key-{user}" for user in users}
    waits = one(gcp_run, "atoll:cluster:Cluster", "cluster").dependencies
    assert any(urn.endswith("::key-secrets") for urn in waits)


def test_the_minor_version_is_the_locks_and_stays(gcp_run: OfflineRun) -> None:
    cluster = one(gcp_run, CLUSTER, "cluster")
    assert at(cluster, "minMasterVersion") == "1.35"
    assert at(cluster, "releaseChannel", "channel") == "REGULAR"
    assert at(cluster, "maintenancePolicy", "maintenanceExclusions", 0, "exclusionOptions") == {
        "scope": "NO_MINOR_OR_NODE_UPGRADES",
        "endTimeBehavior": "UNTIL_END_OF_SUPPORT",
    }


def test_the_cluster_is_as_shut_as_it_can_be(gcp_run: OfflineRun) -> None:
    cluster = one(gcp_run, CLUSTER, "cluster")
    assert at(cluster, "datapathProvider") == "ADVANCED_DATAPATH"
    assert at(cluster, "enableShieldedNodes") is True
    assert at(cluster, "enableLegacyAbac") is False
    assert at(cluster, "masterAuth", "clientCertificateConfig", "issueClientCertificate") is False
    assert at(cluster, "controlPlaneEndpointsConfig", "dnsEndpointConfig", "allowExternalTraffic") is False
    assert at(cluster, "removeDefaultNodePool") is True
    assert at(cluster, "deletionProtection") is True
    assert "workloadPool" in at(cluster, "workloadIdentityConfig")


def test_the_api_is_private_unless_the_lock_opens_it(gcp_run: OfflineRun, run_spec: RunSpec) -> None:
    cluster = one(gcp_run, CLUSTER, "cluster")
    assert at(cluster, "privateClusterConfig", "enablePrivateEndpoint") is True
    assert called(gcp_run) == ["10.64.0.0/16", "10.0.0.0/16"]
    opened = run_spec(with_network(api_cidrs=(IPv4Network("203.0.113.0/24"),), peering=None))
    assert at(one(opened, CLUSTER, "cluster"), "privateClusterConfig", "enablePrivateEndpoint") is False
    assert called(opened) == ["10.64.0.0/16", "203.0.113.0/24"]


def called(run: OfflineRun) -> list[str]:
    who = at(one(run, CLUSTER, "cluster"), "masterAuthorizedNetworksConfig")
    assert who["gcpPublicCidrsAccessEnabled"] is False
    return [each["cidrBlock"] for each in who["cidrBlocks"]]


def test_every_bucket_is_shut_and_versioned(gcp_run: OfflineRun) -> None:
    for bucket in of_type(gcp_run, BUCKET):
        assert at(bucket, "publicAccessPrevention") == "enforced"
        assert at(bucket, "uniformBucketLevelAccess") is True
        assert at(bucket, "versioning", "enabled") is True
        assert at(bucket, "forceDestroy") is False


def test_the_archive_moves_to_the_class_that_is_priced(gcp_run: OfflineRun) -> None:
    (moved,) = [rule for rule in at(one(gcp_run, BUCKET, "archive-archive"), "lifecycleRules")
                if rule["action"]["type"] == "SetStorageClass"]  # fmt: skip
    assert moved["action"]["storageClass"] == "ARCHIVE"
    kept = at(one(gcp_run, BUCKET, "cold-data"), "lifecycleRules")
    assert {rule["action"]["type"] for rule in kept} == {"AbortIncompleteMultipartUpload", "Delete"}


def test_pods_get_disks_that_their_nodes_attach_and_volumes_of_what_is_shared(gcp_run: OfflineRun) -> None:
    classes = {
        each.name: at(each, "provisioner") for each in of_type(gcp_run, "kubernetes:storage.k8s.io/v1:StorageClass")
    }
    assert classes == {
        "atoll-disk": "pd.csi.storage.gke.io",
        "atoll-disk-pd-balanced": "pd.csi.storage.gke.io",
        "atoll-shared": "kubernetes.io/no-provisioner",
        "atoll-bucket": "kubernetes.io/no-provisioner",
        "atoll-hot": "kubernetes.io/no-provisioner",
    }
    volumes = of_type(gcp_run, "kubernetes:core/v1:PersistentVolume")
    assert {at(each, "spec", "csi", "driver") for each in volumes} == {
        "lustre.csi.storage.gke.io",
        "gcsfuse.csi.storage.gke.io",
    }
    assert {at(each, "spec", "claimRef", "namespace") for each in volumes} == {"work-train", "work-serve"}
    claims = of_type(gcp_run, "kubernetes:core/v1:PersistentVolumeClaim")
    assert {each.name for each in claims} == {"train-shared", "serve-shared", "train-bucket", "serve-bucket"}
    assert {at(each, "metadata", "name") for each in claims} == {"shared", "bucket"}


def test_lustre_servers_may_call_the_nodes_back(gcp_run: OfflineRun) -> None:
    rule = one(gcp_run, FIREWALL, "managed")
    taken = one(gcp_run, "gcp:compute/globalAddress:GlobalAddress", "managed")
    assert at(rule, "sourceRanges") == [f"{at(taken, 'address')}/{at(taken, 'prefixLength')}"]
    assert at(rule, "allows") == [{"protocol": "tcp", "ports": ["988"]}]


def test_pods_reach_buckets_as_their_own_account(gcp_run: OfflineRun) -> None:
    members = of_type(gcp_run, "gcp:storage/bucketIAMMember:BucketIAMMember")
    assert {at(each, "role") for each in members} == {"roles/storage.objectUser", "roles/storage.bucketViewer"}
    assert len(members) == 2 * 2 * 3  # workloads, roles, buckets


def test_peering_in_one_project_is_made_from_both_sides(gcp_run: OfflineRun) -> None:
    ours, theirs = one(gcp_run, PEERING, "main-cloud"), one(gcp_run, PEERING, "main-cloud-back")
    assert at(ours, "peerNetwork") == "projects/acme-main/global/networks/main" == at(theirs, "network")
    for half in (ours, theirs):
        assert (at(half, "exportCustomRoutes"), at(half, "importCustomRoutes")) == (True, True)
    assert ours.urn in theirs.dependencies
    assert gcp_run.exports["peeringAccepted"] is True


def test_peering_with_another_project_is_left_to_its_owner(run_spec: RunSpec) -> None:
    peering = specs_gcp.PEERING.model_copy(update={"account": "acme-main", "vpc_id": "main"})
    run = run_spec(with_network(peering=peering))
    (half,) = of_type(run, PEERING)
    assert at(half, "peerNetwork") == "projects/acme-main/global/networks/main"
    assert run.exports["peeringAccepted"] is False


def test_a_peered_range_that_overlaps_is_refused(run_spec: RunSpec) -> None:
    overlapping = specs_gcp.PEERING.model_copy(update={"vpc_cidr": IPv4Network("10.64.128.0/24")})
    with pytest.raises(AtollError, match="overlaps"):
        run_spec(with_network(peering=overlapping))


def test_a_range_too_narrow_for_the_nodes_is_refused(run_spec: RunSpec) -> None:
    with pytest.raises(AtollError, match="between a /8 and a /20"):
        run_spec(with_network(cidr=IPv4Network("10.64.0.0/24"), peering=None))


def test_a_range_too_narrow_for_managed_lustre_is_refused(run_spec: RunSpec) -> None:
    narrow = {
        "network": specs_gcp.network(cidr=IPv4Network("10.64.0.0/20"), peering=None),
        "pools": specs_gcp.POOLS[:1],
    }
    with pytest.raises(AtollError, match="leaves Managed Lustre a /24, and it needs a /23"):
        run_spec(specs_gcp.gcp_cluster(**narrow))
    run_spec(specs_gcp.gcp_cluster(**narrow, storage=specs_gcp.STORAGE[2:]))


def test_the_control_plane_reaches_webhooks_on_any_port(gcp_run: OfflineRun) -> None:
    rule = one(gcp_run, FIREWALL, "control-plane")
    planes = at(one(gcp_run, CLUSTER, "cluster"), "privateClusterConfig", "masterIpv4CidrBlock")
    assert (rule.inputs["sourceRanges"], rule.inputs["allows"]) == ([planes], [{"protocol": "tcp"}])


def test_nat_leaves_by_the_addresses_that_the_bill_has(gcp_run: OfflineRun) -> None:
    nat = one(gcp_run, "gcp:compute/routerNat:RouterNat", "nat")
    assert at(nat, "natIpAllocateOption") == "MANUAL_ONLY"
    addresses = [each for each in of_type(gcp_run, "gcp:compute/address:Address") if each.name.startswith("nat-")]
    assert len(addresses) == len(at(nat, "natIps")) == 2


def test_the_budget_is_the_ceiling_and_tells_a_topic(gcp_run: OfflineRun) -> None:
    budget = one(gcp_run, "gcp:billing/budget:Budget", "budget")
    assert at(budget, "amount", "specifiedAmount") == {"currencyCode": "USD", "units": "250000"}
    assert at(budget, "allUpdatesRule", "schemaVersion") == "1.0"
    assert at(one(gcp_run, "pulumi:providers:gcp", "gcp"), "userProjectOverride") == "true"


def test_without_a_billing_account_there_is_no_budget(run_spec: RunSpec) -> None:
    run = run_spec(specs_gcp.gcp_cluster())
    assert not [each for each in run.resources if each.type.startswith(("gcp:billing", "gcp:pubsub"))]
    assert "userProjectOverride" not in one(run, "pulumi:providers:gcp", "gcp").inputs


def test_kubeconfigs_hold_no_credential_and_act_as_one_group(gcp_run: OfflineRun) -> None:
    bindings = of_type(gcp_run, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    (engineer,) = [each for each in bindings if each.name == "atoll-engineer-train"]
    assert [rule["resourceNames"] for rule in at(engineer, "rules")] == [["atoll:train:engineer"]] * 2
    assert {verb for rule in at(engineer, "rules") for verb in rule["verbs"]} == {"impersonate"}
    assert set(gcp_run.exports["kubeconfigs"]) == {"admin", "engineer", "viewer"}


def test_the_keys_of_the_vpn_are_secrets_and_not_in_the_machine(gcp_run: OfflineRun) -> None:
    version = one(gcp_run, "gcp:secretmanager/secretVersion:SecretVersion", "vpn")
    assert isinstance(at(version, "secretData"), Secret | UnknownValue)
    script = at(one(gcp_run, "gcp:compute/instance:Instance", "gateway"), "metadataStartupScript")
    assert "PrivateKey" not in script
    assert "secrets/atoll-sample-vpn/versions/latest" in script


def test_logical_names_hold_no_customer_stack_or_region(gcp_run: OfflineRun) -> None:
    for resource in gcp_run.resources:
        for word in ("acme", "sample", "us-central"):
            assert word not in resource.name, resource.urn


def test_a_first_update_from_outside_puts_nothing_into_the_cluster() -> None:
    def program() -> None:
        pulumi.runtime.set_config("atoll:reach", "cloud")
        build((specs_gcp.gcp_cluster(),))

    found = run("sample", program=program)
    assert not [each.type for each in found.resources if each.type.startswith("kubernetes:")]
    assert of_type(found, POOL)
