"""A stack as it stands in an AWS account, made with the clients of that account, and its teardown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from samples import STACK

from operations.clouds.aws.client import Clients

TAGS: list[Any] = [{"Key": "atoll:stack", "Value": STACK}, {"Key": "atoll:customer", "Value": "acme"}]
CLUSTER = f"atoll-{STACK}"
OWNED: list[Any] = [{"Key": f"kubernetes.io/cluster/{CLUSTER}", "Value": "owned"}]
ROLE = "arn:aws:iam::123456789012:role/any"


def tags(kind: str, *, marked: list[Any] | None = None) -> list[Any]:
    return [{"ResourceType": kind, "Tags": marked or TAGS}]


@dataclass
class Account:
    """What was made, by name."""

    aws: Clients
    ids: dict[str, str] = field(default_factory=dict)

    def build(self) -> None:
        """A network, a cluster, a machine with a disk of a claim, a balancer, a bucket, a key and logs."""
        self._network()
        self._machines()
        self._cluster()
        self._data()

    def _network(self) -> None:
        ec2 = self.aws.ec2
        vpc = ec2.create_vpc(CidrBlock="10.64.0.0/16", TagSpecifications=tags("vpc"))["Vpc"]["VpcId"]
        subnets = [
            ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"10.64.{n}.0/24", AvailabilityZone=zone, TagSpecifications=tags("subnet")
            )["Subnet"]["SubnetId"]
            for n, zone in enumerate(("us-east-1a", "us-east-1b"))
        ]
        address = ec2.allocate_address(Domain="vpc", TagSpecifications=tags("elastic-ip"))["AllocationId"]
        nat = ec2.create_nat_gateway(SubnetId=subnets[0], AllocationId=address, TagSpecifications=tags("natgateway"))[
            "NatGateway"
        ]["NatGatewayId"]
        gateway = ec2.create_vpc_endpoint(
            VpcId=vpc,
            VpcEndpointType="Gateway",
            ServiceName="com.amazonaws.us-east-1.s3",
            TagSpecifications=tags("vpc-endpoint"),
        )["VpcEndpoint"]["VpcEndpointId"]
        names = ("vpc", "subnet", "other_subnet", "address", "nat", "endpoint")
        self.ids.update(dict(zip(names, (vpc, *subnets, address, nat, gateway), strict=True)))

    def _machines(self) -> None:
        ec2 = self.aws.ec2
        image = ec2.register_image(Name="any", Architecture="x86_64")["ImageId"]
        machine = ec2.run_instances(
            ImageId=image,
            InstanceType="g6.2xlarge",
            MinCount=1,
            MaxCount=1,
            SubnetId=self.ids["subnet"],
            TagSpecifications=tags("instance"),
        )["Instances"][0]["InstanceId"]
        volume = ec2.create_volume(
            AvailabilityZone="us-east-1a",
            Size=100,
            VolumeType="gp3",
            Iops=4000,
            TagSpecifications=tags("volume", marked=OWNED),
        )["VolumeId"]
        snapshot = ec2.create_snapshot(VolumeId=volume, TagSpecifications=tags("snapshot"))["SnapshotId"]
        balancer = self.aws.elbv2.create_load_balancer(
            Name="ingress",
            Type="network",
            Subnets=[self.ids["subnet"], self.ids["other_subnet"]],
            Tags=[{"Key": "elbv2.k8s.aws/cluster", "Value": CLUSTER}],
        )["LoadBalancers"][0]["LoadBalancerArn"]
        self.ids.update(machine=machine, volume=volume, snapshot=snapshot, balancer=balancer)

    def _cluster(self) -> None:
        subnets = [self.ids["subnet"], self.ids["other_subnet"]]
        marked = {each["Key"]: each["Value"] for each in TAGS}
        self.aws.eks.create_cluster(name=CLUSTER, roleArn=ROLE, resourcesVpcConfig={"subnetIds": subnets}, tags=marked)
        self.aws.eks.create_nodegroup(
            clusterName=CLUSTER, nodegroupName="train", subnets=subnets, nodeRole=ROLE, tags=marked
        )
        self.aws.logs.create_log_group(logGroupName=f"/aws/eks/{CLUSTER}/cluster", tags=marked)

    def _data(self) -> None:
        bucket = "atoll-demo-cold-data"
        self.aws.s3.create_bucket(Bucket=bucket)
        self.aws.s3.put_bucket_tagging(Bucket=bucket, Tagging={"TagSet": TAGS})
        key = self.aws.kms.create_key(Tags=[{"TagKey": each["Key"], "TagValue": each["Value"]} for each in TAGS])
        files = self.aws.efs.create_file_system(CreationToken="shared", Tags=TAGS)["FileSystemId"]
        self.ids.update(bucket=bucket, key=key["KeyMetadata"]["KeyId"], files=files)

    def tear_down(self) -> None:
        """As a destroy runs: what controllers made, pools, cluster, network; data and its key are kept."""
        aws, ids = self.aws, self.ids
        aws.elbv2.delete_load_balancer(LoadBalancerArn=ids["balancer"])
        aws.ec2.delete_volume(VolumeId=ids["volume"])
        aws.ec2.delete_snapshot(SnapshotId=ids["snapshot"])
        aws.eks.delete_nodegroup(clusterName=CLUSTER, nodegroupName="train")
        aws.ec2.terminate_instances(InstanceIds=[ids["machine"]])
        aws.eks.delete_cluster(name=CLUSTER)
        aws.logs.delete_log_group(logGroupName=f"/aws/eks/{CLUSTER}/cluster")
        aws.ec2.delete_nat_gateway(NatGatewayId=ids["nat"])
        aws.ec2.release_address(AllocationId=ids["address"])
        aws.ec2.delete_vpc_endpoints(VpcEndpointIds=[ids["endpoint"]])
        for name in ("subnet", "other_subnet"):
            aws.ec2.delete_subnet(SubnetId=ids[name])
